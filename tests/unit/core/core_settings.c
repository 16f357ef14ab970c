/* The configuration while it changes: many threads look at it, take windows and give orders. */
#include "threads.h"

#include "tracer/core/clock.h"
#include "tracer/core/control.h"
#include "tracer/core/mode.h"
#include "tracer/core/process.h"
#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/core/signals.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum { READERS = 4, RELOADS = 150, TAKERS = 8, TAKES = 4000, ASKERS = 4, ASKS = 50 };

static char file[64];
static _Atomic bool stop;
static _Atomic int applied, changed;

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason) {
    (void)domain, (void)from, (void)reason;
    atomic_fetch_add(&applied, 1);
    return 0;
}

static void settings_changed(struct pinsight_domain *domain) {
    (void)domain;
    atomic_fetch_add(&changed, 1);
}

static struct pinsight_domain domain = {
    .name = "Python", .apply_mode = apply_mode, .settings_changed = settings_changed};

/* Three settings that belong together. */
static void write_file(bool odd) {
    char new[80];
    snprintf(new, sizeof new, "%s.new", file);
    FILE *out = fopen(new, "w");
    assert_non_null(out);
    fprintf(out,
            "[Python]\nmodule_filter = %s\n[Python.punit.thread]\nrange = %s\n"
            "[Lexgion.default]\nmax_num_traces = %d\n",
            odd ? "odd" : "even", odd ? "1" : "2", odd ? 111 : 222);
    fclose(out);
    assert_int_equal(rename(new, file), 0);
}

static void drop(struct pinsight_window *window) {
    if (window)
        pinsight_window_forget(window);
    free(window);
}

/* The window with the settings in force. */
static struct pinsight_window *resolve(struct pinsight_window *window,
                                       const struct pinsight_window_owner *owner,
                                       uint32_t generation) {
    enum pinsight_mode after;
    struct pinsight_window *now = pinsight_resolve_window(window, owner, generation, &after);
    if (window && now != window)
        drop(window);
    return now;
}

static void *read_settings(void *unused) {
    struct pinsight_window_owner owner = {
        .domain = &domain, .lexgion = 1, .name = "f", .filename = "f.py", .lineno = 1};
    struct pinsight_window *window = NULL;
    uintptr_t wrong = 0;
    (void)unused;
    while (!atomic_load(&stop)) {
        uint32_t before = pinsight_config_version();
        bool odd = pinsight_resolve_module(&domain, "odd");
        bool even = pinsight_resolve_module(&domain, "even.part");
        bool one = pinsight_resolve_in_range(&domain, 0, 1);
        window = resolve(window, &owner, before);
        uint64_t most = window ? window->max : 0;
        /* What was read while another came into force is of two; the number moves on just after. */
        bool mixed = odd == even || odd != one || most != (odd ? 111u : 222u);
        for (int i = 0; mixed && before == pinsight_config_version(); i++) {
            usleep(1000);
            if (i == 2000) {
                wrong++;
                break;
            }
        }
        sched_yield();
    }
    drop(window);
    return (void *)wrong;
}

static void readers_see_one_configuration(void **state) {
    (void)state;
    struct test_threads threads = threads_start(READERS, read_settings, NULL, 0);
    for (int i = 0; i < RELOADS; i++) {
        struct pinsight_order order = {.kind = PINSIGHT_ORDER_RELOAD, .reason = "ctl"};
        struct pinsight_answer answer;
        write_file(i % 2);
        pinsight_control_ask(&order, 0, &answer);
        assert_false(answer.failed);
        assert_int_equal(answer.config_version, pinsight_config_version());
    }
    atomic_store(&stop, true);
    threads_join(&threads);
    assert_true(atomic_load(&changed) >= RELOADS);
}

static struct pinsight_window *shared;
static _Atomic int taken, last, ends;

static void *take(void *unused) {
    (void)unused;
    for (int i = 0; i < TAKES; i++) {
        enum pinsight_take result = pinsight_window_take(shared);
        if (result == PINSIGHT_TAKE || result == PINSIGHT_TAKE_LAST)
            atomic_fetch_add(&taken, 1);
        if (result == PINSIGHT_TAKE_LAST)
            atomic_fetch_add(&last, 1);
        if (result == PINSIGHT_TAKE_PAST) {
            atomic_fetch_add(&ends, 1);
            pinsight_window_end(shared, 0);
        }
    }
    return NULL;
}

static struct pinsight_window *window_of(const char *text) {
    static const struct pinsight_window_owner owner = {
        .domain = &domain, .lexgion = 1, .name = "f", .filename = "f.py", .lineno = 1};
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_RELOAD, .reason = "ctl"};
    struct pinsight_answer answer;
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "[Lexgion.default]\n%s\n", text);
    fclose(out);
    pinsight_control_ask(&order, 0, &answer);
    assert_false(answer.failed);
    return resolve(NULL, &owner, pinsight_config_version());
}

static void a_window_takes_exactly_its_number(void **state) {
    (void)state;
    uint64_t before = pinsight_windows_ended();
    shared = window_of("trace_starts_at = 7\ntracing_rate = 10\nmax_num_traces = 1000");
    threads_run(TAKERS, take, NULL, 0);
    assert_int_equal(atomic_load(&taken), 1000);
    assert_int_equal(atomic_load(&last), 1);
    assert_true(atomic_load(&ends) > 0);
    assert_int_equal(pinsight_windows_ended(), before + 1);
    assert_int_equal(atomic_load(&shared->executions), TAKERS * TAKES);
    drop(shared);
}

static void a_window_ends_by_its_timer(void **state) {
    (void)state;
    struct pinsight_window *window =
        window_of("window_timeout = 0.02\ntrace_mode_after = Python:STANDBY");
    assert_int_equal(pinsight_domain_set_mode(&domain, PINSIGHT_MODE_TRACING, "api"), 0);
    /* Setting TRACING opened a new epoch; the window is of the one before, and so of another
     * generation: what comes after it is not in force any more. */
    struct pinsight_window_owner owner = window->owner;
    window = resolve(window, &owner, pinsight_config_version());
    assert_int_equal(pinsight_window_take(window), PINSIGHT_TAKE);
    for (int i = 0; i < 2000 && pinsight_domain_mode(&domain) != PINSIGHT_MODE_STANDBY; i++)
        usleep(5000);
    assert_int_equal(pinsight_domain_mode(&domain), PINSIGHT_MODE_STANDBY);
    drop(window);
}

static void timers_of_windows_that_go(void **state) {
    (void)state;
    struct pinsight_window *windows[50];
    windows[0] = window_of("window_timeout = 0.001\ntrace_mode_after = Python:STANDBY");
    drop(windows[0]);
    for (int round = 0; round < 20; round++) {
        const struct pinsight_window_owner owner = {
            .domain = &domain, .lexgion = 1, .name = "f", .filename = "f.py", .lineno = 1};
        for (int i = 0; i < 50; i++) {
            windows[i] = resolve(NULL, &owner, pinsight_config_version());
            pinsight_window_take(windows[i]);
        }
        usleep(round * 100);
        for (int i = 0; i < 50; i++)
            drop(windows[(i * 7) % 50]);
    }
}

/* Two runtimes that adopt an order at times of their own. */
static uint64_t adopted_ns[2];

static uint64_t first_applied_at(struct pinsight_domain *unused) {
    (void)unused;
    return adopted_ns[0];
}

static uint64_t second_applied_at(struct pinsight_domain *unused) {
    (void)unused;
    return adopted_ns[1];
}

static struct pinsight_domain first = {
    .name = "OpenMP", .apply_mode = apply_mode, .applied_at = first_applied_at};
static struct pinsight_domain second = {
    .name = "MPI", .apply_mode = apply_mode, .applied_at = second_applied_at};

static struct pinsight_answer answer_with(uint64_t first_ns, uint64_t second_ns) {
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_RELOAD, .reason = "ctl"};
    struct pinsight_answer answer;
    adopted_ns[0] = first_ns;
    adopted_ns[1] = second_ns;
    pinsight_control_ask(&order, 0, &answer);
    assert_false(answer.failed);
    return answer;
}

static void an_order_takes_effect_with_the_last_runtime(void **state) {
    const uint64_t hour = UINT64_C(3600000000000), now = pinsight_clock_ns();
    (void)state;
    assert_int_equal(pinsight_domain_register(&first), 0);
    assert_int_equal(pinsight_domain_register(&second), 0);
    assert_true(answer_with(0, now + hour).pending);
    assert_true(answer_with(now + hour, 0).pending);
    for (int swapped = 0; swapped < 2; swapped++) {
        struct pinsight_answer answer =
            answer_with(now + hour * (swapped ? 9 : 1), now + hour * (swapped ? 1 : 9));
        assert_false(answer.pending);
        assert_in_range(answer.effect_ns, 8 * hour, 9 * hour);
    }
}

static void *give_orders(void *argument) {
    uintptr_t failed = 0;
    for (int i = 0; i < ASKS; i++) {
        struct pinsight_order order = {.kind = PINSIGHT_ORDER_MODE, .reason = "ctl"};
        struct pinsight_answer answer;
        order.mode_count = 1;
        order.modes[0].domain = &domain;
        order.modes[0].mode = (enum pinsight_mode)((i + (int)(intptr_t)argument) % 4);
        if (i % 3 == 0) {
            pinsight_control_send(&order);
        } else {
            pinsight_control_ask(&order, 1000, &answer);
            failed += answer.failed || answer.pending;
        }
        if (i % 5 == 0)
            kill(getpid(), SIGUSR1);
    }
    return (void *)failed;
}

static void orders_and_signals(void **state) {
    (void)state;
    write_file(false);
    pinsight_signals_take();
    threads_run(ASKERS, give_orders, NULL, 1);
    assert_true(atomic_load(&applied) > 0);
    pinsight_control_end();
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_RELOAD, .reason = "ctl"};
    struct pinsight_answer answer;
    pinsight_control_ask(&order, 0, &answer);
    assert_true(answer.failed);
}

static int start(void **state) {
    (void)state;
    char error[256];
    snprintf(file, sizeof file, "/tmp/pinsight-settings-%d.ini", (int)getpid());
    write_file(false);
    setenv("PINSIGHT_CONFIG", file, 1);
    pinsight_process_start();
    pinsight_clock_start();
    if (pinsight_settings_start(error, sizeof error) != 0 || pinsight_domain_register(&domain) != 0)
        return -1;
    pinsight_control_start();
    return 0;
}

static int end(void **state) {
    (void)state;
    return unlink(file);
}

int main(void) {
    return RUN_TESTS_GROUP(start, end, readers_see_one_configuration,
                           a_window_takes_exactly_its_number, a_window_ends_by_its_timer,
                           timers_of_windows_that_go, an_order_takes_effect_with_the_last_runtime,
                           orders_and_signals);
}
