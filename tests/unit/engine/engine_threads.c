/* The engine with many threads: windows of exactly their number, counts and totals that lose
 * nothing, configurations that change meanwhile, addresses, threads that end, and forks. */
#include "engine_test.h"
#include "threads.h"

#include "tracer/core/mode.h"
#include "tracer/core/native.h"
#include "tracer/core/process.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { THREADS = 6, SITES = 3, TIMES = 2000 };

/* ---- a domain of native code that calls are made of ---- */

static _Atomic unsigned defined;
static char sites[SITES + 1];

static void describe(void) {
}

static void apply_settings(void) {
}

static void define(const struct pinsight_lexgion *lexgion) {
    (void)lexgion;
    atomic_fetch_add(&defined, 1);
}

static void thread_end(struct pinsight_core_thread *core, void *state);
static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *thread);

static const char *const no_units[] = {NULL};
static struct pinsight_domain domain = {.name = "MPI",
                                        .punit_kinds = no_units,
                                        .thread_end = thread_end,
                                        .thread_free = free,
                                        .fork_child = fork_child};
static struct pinsight_native_table table = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct pinsight_native native = {
    PINSIGHT_NATIVE_INIT(&domain, &table, define, describe, apply_settings)};

static void thread_end(struct pinsight_core_thread *core, void *state) {
    (void)core;
    struct pinsight_native_thread *thread = state;
    pinsight_engine_thread_end(&native.engine, &thread->engine);
}

static void fork_child(struct pinsight_domain *unused, struct pinsight_core_thread *thread) {
    (void)unused;
    (void)thread;
    pinsight_native_fork_child(&native);
}

static struct pinsight_native_thread *self(void) {
    struct pinsight_core_thread *core = pinsight_thread_get();
    struct pinsight_native_thread *thread = core->state[domain.slot];
    if (!thread) {
        thread = calloc(1, sizeof *thread);
        if (!thread)
            abort();
        thread->engine.core = core;
        core->state[domain.slot] = thread;
    }
    return thread;
}

/* ---- calls ---- */

static _Atomic unsigned traced, counted, outside, lasts;
static _Atomic bool stop;

static void call(int site) {
    struct pinsight_native_thread *thread = self();
    struct pinsight_native_lexgion *lexgion =
        pinsight_native_lexgion_find(&native, &thread->cache, &sites[site], "MPI_Send");
    struct pinsight_counted_call here;
    enum pinsight_mode mode = pinsight_domain_mode(&domain);
    if (mode < PINSIGHT_MODE_MONITORING)
        return;
    struct pinsight_decision how = pinsight_should_record(&native.engine, &lexgion->state, mode);
    pinsight_add(&thread->engine.outside, how.outside);
    if (how.traced)
        pinsight_native_recorded(&native, thread, 100);
    if (how.counted) {
        pinsight_count_begin(&native.engine, &thread->engine, &here, &lexgion->state, 0);
        pinsight_count_end(&thread->engine, &here, here.start + 10);
    }
    if (how.last)
        pinsight_lexgion_last_ended(&native.engine, &lexgion->state);
    atomic_fetch_add(&traced, how.traced);
    atomic_fetch_add(&counted, how.counted);
    atomic_fetch_add(&outside, how.outside);
    atomic_fetch_add(&lasts, how.last);
}

static void *calls(void *unused) {
    (void)unused;
    for (int i = 0; i < TIMES; i++)
        for (int site = 0; site < SITES; site++)
            call(site);
    return NULL;
}

static _Atomic unsigned ready; /* threads that have called once */

static void *calls_until_stopped(void *unused) {
    calls(unused);
    atomic_fetch_add(&ready, 1);
    while (!atomic_load(&stop))
        calls(unused);
    return NULL;
}

static uint64_t outside_before, bytes_before;

static int set_up(void **state) {
    (void)state;
    test_configure("");
    test_set_mode(&domain, PINSIGHT_MODE_TRACING);
    pinsight_engine_write_accounts(&native.engine);
    outside_before = test_last("domain_totals", "outside");
    bytes_before = test_last("domain_totals", "bytes");
    recorder_clear();
    traced = counted = outside = lasts = 0;
    atomic_store(&stop, false);
    return 0;
}

static void expect_totals(void) {
    pinsight_engine_write_accounts(&native.engine);
    assert_int_equal(test_last("domain_totals", "outside") - outside_before, atomic_load(&outside));
    assert_int_equal(test_last("domain_totals", "bytes") - bytes_before,
                     100 * atomic_load(&traced));
    assert_int_equal(test_sum("lexgion_profile", "calls"), atomic_load(&counted));
}

/* ---- cases ---- */

static void a_window_is_of_exactly_its_number(void **state) {
    (void)state;
    test_configure("[Lexgion.MPI]\ntrace_starts_at = 5\ntracing_rate = 3\nmax_num_traces = 70\n");
    threads_run(THREADS, calls, NULL, 0);
    assert_int_equal(traced, SITES * 70);
    assert_int_equal(lasts, SITES);
    assert_int_equal(outside, SITES * (THREADS * TIMES - 70));
    assert_int_equal(recorder_count("window_end"), SITES);
    assert_int_equal(test_sum("window_end", "recorded"), SITES * 70);
    expect_totals();
}

static void past_a_window_each_is_counted(void **state) {
    (void)state;
    test_configure("[Lexgion.MPI]\nmax_num_traces = 70\ntrace_mode_after = MONITORING\n");
    threads_run(THREADS, calls, NULL, 0);
    assert_int_equal(traced, SITES * 70);
    assert_int_equal(traced + counted, SITES * THREADS * TIMES);
    assert_int_equal(outside, 0);
    expect_totals();
    assert_int_equal(test_sum("lexgion_profile", "inclusive_ns"), 10 * atomic_load(&counted));
}

static void what_is_counted_is_written_once(void **state) {
    (void)state;
    test_set_mode(&domain, PINSIGHT_MODE_MONITORING);
    struct test_threads threads = threads_start(THREADS, calls, NULL, 0);
    for (int i = 0; i < 20; i++) {
        pinsight_count_flush(&native.engine);
        usleep(200);
    }
    threads_join(&threads);
    assert_int_equal(counted, SITES * THREADS * TIMES);
    expect_totals();
}

static volatile sig_atomic_t came; /* signals */
static sig_atomic_t came_between;
static void (*owner_of_lexgion)(const struct pinsight_lexgion *, struct pinsight_window_owner *);

static void on_signal(int number) {
    (void)number;
    came++;
}

/* A signal comes while counts are written. */
static void owner_with_signal(const struct pinsight_lexgion *lexgion,
                              struct pinsight_window_owner *owner) {
    raise(SIGTERM);
    came_between += came;
    owner_of_lexgion(lexgion, owner);
}

static void no_signal_ends_the_process_between_counts(void **state) {
    struct sigaction before, ours = {.sa_handler = on_signal};
    (void)state;
    test_set_mode(&domain, PINSIGHT_MODE_MONITORING);
    calls(NULL);
    owner_of_lexgion = native.engine.owner;
    native.engine.owner = owner_with_signal;
    sigaction(SIGTERM, &ours, &before);
    pinsight_count_flush(&native.engine);
    sigaction(SIGTERM, &before, NULL);
    native.engine.owner = owner_of_lexgion;
    assert_int_equal(came_between, 0);
    assert_int_equal(came, 1);
    expect_totals();
}

static void configurations_change_meanwhile(void **state) {
    static const char *const texts[] = {
        "[Lexgion.MPI]\nmax_num_traces = 20\n",
        "[Lexgion.MPI]\nmax_num_traces = 30\ntrace_mode_after = MONITORING\n",
        "[Lexgion.MPI]\nwindow_timeout = 0.0001\n",
        "[Lexgion.MPI]\ntracing_rate = 2\n",
        "",
    };
    (void)state;
    struct test_threads threads = threads_start(THREADS, calls_until_stopped, NULL, 0);
    for (int i = 0; i < 100; i++) {
        test_configure(texts[i % 5]);
        if (i % 7 == 0)
            pinsight_session_version_next();
        if (i % 11 == 0)
            pinsight_objects_unloaded();
        if (i % 13 == 0)
            pinsight_engine_write_accounts(&native.engine);
    }
    atomic_store(&stop, true);
    threads_join(&threads);
    expect_totals();
}

static void an_address_is_defined_for_each_session(void **state) {
    (void)state;
    call(SITES);
    unsigned before = atomic_load(&defined);
    call(SITES);
    assert_int_equal(defined, before);
    pinsight_session_version_next();
    call(SITES);
    call(SITES);
    assert_int_equal(defined, before + 1);
}

static void the_size_of_a_trace_is_limited(void **state) {
    (void)state;
    pinsight_process.max_size = 3 * PINSIGHT_ACCOUNT_BYTES;
    struct pinsight_native_thread *thread = self();
    unsigned full = 0;
    for (int i = 0; i < 10; i++) {
        pinsight_add(&thread->engine.bytes, PINSIGHT_ACCOUNT_BYTES);
        full += pinsight_engine_account(&native.engine, &thread->engine);
        assert_int_equal(thread->engine.bytes, 0);
    }
    assert_int_equal(full, 1);
    assert_true(pinsight_engine_is_full(&native.engine));
    assert_int_equal(pinsight_native_apply_mode(&native, PINSIGHT_MODE_STANDBY), -1);
    pinsight_process.max_size = 0;
    atomic_store(&native.engine.size_limit_reached, false);
}

/* A child has none of its parent's counts, totals and open executions, and goes on by itself. */
static int in_child(void) {
    pinsight_process.silent = false; /* LTTng is not told of the fork, and is not needed */
    recorder_clear();
    traced = counted = outside = lasts = 0;
    outside_before = bytes_before = 0;
    test_set_mode(&domain, PINSIGHT_MODE_MONITORING);
    calls(NULL); /* no threads: the thread sanitizer takes them for its parent's */
    pinsight_engine_write_accounts(&native.engine);
    if (test_sum("lexgion_profile", "calls") != SITES * TIMES)
        return 2;
    if (test_last("domain_totals", "bytes") != 0 || test_last("domain_totals", "outside") != 0)
        return 3;
    test_set_mode(&domain, PINSIGHT_MODE_TRACING);
    call(0); /* windows begin anew; the last execution of this one ran in the parent */
    return traced == 1 && lasts == 1 && recorder_count("window_end") == 1 ? 0 : 4;
}

static void a_forked_child_begins_anew(void **state) {
    (void)state;
    test_configure("[Lexgion.MPI]\nmax_num_traces = 1\n");
    struct pinsight_native_thread *thread = self();
    struct pinsight_native_lexgion *lexgion =
        pinsight_native_lexgion_find(&native, &thread->cache, &sites[0], "MPI_Send");
    assert_true(
        pinsight_should_record(&native.engine, &lexgion->state, PINSIGHT_MODE_TRACING).last);
    call(1);
    atomic_store(&ready, 0);
    struct test_threads threads = threads_start(THREADS, calls_until_stopped, NULL, 0);
    /* Threads allocate with their first calls: a fork within AddressSanitizer's allocator leaves
     * its locks taken in the child. */
    while (atomic_load(&ready) < THREADS)
        sched_yield();
    pid_t child = fork();
    if (child == 0)
        _exit(in_child());
    atomic_store(&stop, true);
    threads_join(&threads);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void) {
    test_settings_start();
    pinsight_process_start();
    if (pinsight_domain_register(&domain) != 0)
        return 1;
    int result = RUN_TESTS_EACH(
        set_up, NULL, a_window_is_of_exactly_its_number, no_signal_ends_the_process_between_counts,
        past_a_window_each_is_counted, what_is_counted_is_written_once,
        configurations_change_meanwhile, an_address_is_defined_for_each_session,
        the_size_of_a_trace_is_limited, a_forked_child_begins_anew);
    test_settings_end();
    return result;
}
