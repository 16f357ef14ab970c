/*
 * Random sequences of begins, ends, configurations, modes, sessions, time and lexgions that go, of
 * the engine beside a plain model of it (model.h): every decision, every count, every total and
 * every definition is compared.
 */
#include "engine_test.h"

#include "model.h"
#include "tracer/core/clock.h"

enum { LEXGIONS = 4, DEEPEST = 24, SEQUENCES = 150, STEPS = 300 };

/* Longer than a machine runs: a window then was opened before its clock began. */
enum { LONG_SECONDS = 400 * 24 * 3600 };

/* ---- what is tested ---- */

struct region {
    struct pinsight_lexgion state;
    char name[8];
    bool filtered;
    unsigned definitions; /* recorded */
};

static unsigned freed;

static void owner(const struct pinsight_lexgion *lexgion, struct pinsight_window_owner *owner) {
    owner->name = ((const struct region *)lexgion)->name;
    owner->filename = "f.py";
    owner->lineno = 1;
}

static void free_region(struct pinsight_lexgion *lexgion) {
    freed++;
    free(lexgion);
}

static bool wanted(struct pinsight_lexgion *lexgion) {
    return !((struct region *)lexgion)->filtered;
}

static void define(const struct pinsight_lexgion *lexgion) {
    ((struct region *)(uintptr_t)lexgion)->definitions++;
}

static const char *const no_units[] = {NULL};
static struct pinsight_domain domain = {.name = "Python", .punit_kinds = no_units};
static struct pinsight_engine engine = {.domain = &domain,
                                        .owner = owner,
                                        .free = free_region,
                                        .wanted = wanted,
                                        .define = define,
                                        PINSIGHT_ENGINE_INIT};
static struct pinsight_engine_thread thread;

/* ---- beside what the model says ---- */

/* What should be counted of a lexgion, and what the events said. */
struct counts {
    uint64_t calls, inclusive, exclusive;
};

struct oracle {
    struct region *region;
    struct model model;
    struct model_settings
        settings; /* in force; the model gets them when the lexgion is looked at */
    struct counts expected;
    unsigned depth; /* counted executions that are open */
    unsigned session, definitions;
    unsigned running; /* executions that are open */
};

struct execution {
    struct oracle *oracle;
    struct pinsight_decision how;
    struct pinsight_counted_call counted;
    uint64_t start, children; /* as counted by the test */
};

static struct oracle oracles[LEXGIONS];
static struct execution stack[DEEPEST];
static unsigned depth, epoch, session, retired;
static uint32_t next_id;
static uint64_t now, seed;
/* What the model says, of lexgions that went. */
static uint64_t outside, windows_ended, ended_executions, ended_recorded;

static uint32_t any(uint32_t limit) {
    return test_random(&seed, limit);
}

static void add_up(const struct model *model) {
    outside += model->outside;
    windows_ended += model->windows_ended;
    ended_executions += model->ended_executions;
    ended_recorded += model->ended_recorded;
}

static void new_region(struct oracle *oracle, unsigned number) {
    struct region *region = calloc(1, sizeof *region);
    assert_non_null(region);
    region->state = (struct pinsight_lexgion)PINSIGHT_LEXGION_INIT(++next_id);
    snprintf(region->name, sizeof region->name, "f%u", number);
    struct model_settings settings = oracle->settings;
    add_up(&oracle->model);
    memset(oracle, 0, sizeof *oracle);
    oracle->region = region;
    oracle->settings = settings;
    region->filtered = settings.filtered;
}

static struct model_settings any_settings(void) {
    static const enum model_mode after[] = {MODEL_OFF, MODEL_STANDBY, MODEL_MONITORING,
                                            MODEL_TRACING};
    struct model_settings settings = {.rate = 1, .max = -1, .after = MODEL_STANDBY};
    if (any(4) == 0)
        return settings;
    settings.starts_at = any(2) ? any(4) : 0;
    settings.rate = any(2) ? 1 + any(3) : 1;
    settings.max = any(3) ? (int)any(5) : -1;
    settings.timeout = any(3) == 0 ? 100 : 0;
    settings.after = after[any(4)];
    settings.filtered = any(6) == 0 && engine.wanted;
    return settings;
}

/* Another configuration; of some lexgions it says what the one before said. */
static void reload(void) {
    static const char *const names[] = {"OFF", "STANDBY", "MONITORING", "TRACING"};
    char text[2048] = "[Python]\ntrace_mode = ";
    strcat(text, names[pinsight_domain_mode(&domain)]);
    for (unsigned i = 0; i < LEXGIONS; i++) {
        struct model_settings settings = any(2) ? any_settings() : oracles[i].settings;
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length,
                 "\n[Lexgion(Python:f.py:f%u)]\ntrace_starts_at = %u\ntracing_rate = %u\n"
                 "max_num_traces = %d\nwindow_timeout = %u\ntrace_mode_after = %s\n",
                 i, settings.starts_at, settings.rate, settings.max, settings.timeout,
                 names[settings.after]);
        oracles[i].region->filtered = settings.filtered;
        oracles[i].settings = settings;
    }
    test_configure(text);
}

static void change_mode(void) {
    static const enum pinsight_mode modes[] = {PINSIGHT_MODE_TRACING, PINSIGHT_MODE_TRACING,
                                               PINSIGHT_MODE_MONITORING, PINSIGHT_MODE_STANDBY};
    enum pinsight_mode mode = modes[any(4)];
    epoch += mode == PINSIGHT_MODE_TRACING && pinsight_domain_mode(&domain) != mode;
    test_set_mode(&domain, mode);
}

static void expect_definition(struct oracle *oracle) {
    oracle->definitions += oracle->session != session;
    oracle->session = session;
}

/* As a domain does: what was found to be recorded as a whole is not looked at. */
static struct pinsight_decision decide(struct region *region, enum pinsight_mode mode,
                                       enum pinsight_begin begin) {
    uint32_t version = pinsight_decision_version();
    if (engine.shared) {
        pinsight_lexgion_define(&engine, &region->state);
        if (begin == PINSIGHT_STARTS)
            return pinsight_should_record(&engine, &region->state, mode);
    }
    if (region->state.accept_version == version)
        return (struct pinsight_decision){.traced = mode == PINSIGHT_MODE_TRACING,
                                          .counted = mode == PINSIGHT_MODE_MONITORING};
    return pinsight_should_record_slow(&engine, &region->state, mode, begin, version);
}

static void begin(void) {
    enum pinsight_mode mode = pinsight_domain_mode(&domain);
    struct oracle *oracle = &oracles[any(LEXGIONS)];
    enum pinsight_begin how = any(4)   ? PINSIGHT_STARTS
                              : any(2) ? PINSIGHT_RESUMES
                                       : PINSIGHT_RESUMES_RECORDED;
    if (mode < PINSIGHT_MODE_MONITORING || depth == DEEPEST)
        return;
    /* Where several threads are at it, MONITORING looks at nothing. */
    bool looks = !(engine.shared && mode == PINSIGHT_MODE_MONITORING && how == PINSIGHT_STARTS);
    struct model_decision expected = {.counted = true};
    if (looks) {
        model_configure(&oracle->model, &oracle->settings, epoch);
        expected = model_begin(&oracle->model,
                               mode == PINSIGHT_MODE_TRACING ? MODEL_TRACING : MODEL_MONITORING,
                               how != PINSIGHT_STARTS, how == PINSIGHT_RESUMES_RECORDED);
    }
    if (engine.shared || !oracle->settings.filtered)
        expect_definition(oracle);
    struct execution *execution = &stack[depth++];
    *execution = (struct execution){.oracle = oracle, .start = now};
    execution->how = decide(oracle->region, mode, how);
    assert_int_equal(execution->how.traced, expected.traced);
    assert_int_equal(execution->how.counted, expected.counted);
    assert_int_equal(execution->how.outside, expected.outside);
    assert_int_equal(execution->how.last, expected.last);
    if (execution->how.shut)
        assert_false(expected.traced || expected.counted);
    pinsight_add(&thread.outside, execution->how.outside);
    oracle->running++;
    oracle->region->state.in_flight++;
    if (!execution->how.counted)
        return;
    pinsight_count_begin(&engine, &thread, &execution->counted, &oracle->region->state, 0);
    execution->counted.start = now;
    oracle->depth++;
}

static void end(void) {
    if (depth == 0)
        return;
    struct execution *execution = &stack[--depth];
    struct oracle *oracle = execution->oracle;
    if (execution->how.counted) {
        uint64_t ticks = now - execution->start;
        pinsight_count_end(&thread, &execution->counted, now);
        oracle->expected.calls++;
        oracle->expected.inclusive += --oracle->depth == 0 ? ticks : 0;
        oracle->expected.exclusive += ticks - execution->children;
        for (unsigned i = depth; i-- > 0;)
            if (stack[i].how.counted) {
                stack[i].children += ticks;
                break;
            }
    }
    if (execution->how.last) {
        model_last_ends(&oracle->model);
        pinsight_lexgion_last_ended(&engine, &oracle->region->state);
    }
    oracle->running--;
    oracle->region->state.in_flight--;
}

/* The session listens anew: what is used after this is defined again. */
static void new_session(void) {
    pinsight_session_version_next();
    session++;
}

static struct counts said(const struct oracle *oracle) {
    struct counts sum = {0};
    for (const struct recorded *at = NULL; (at = recorder_next(at, "lexgion_profile"));) {
        if (recorder_field(at, "lexgion") != oracle->region->state.id)
            continue;
        sum.calls += recorder_field(at, "calls");
        sum.inclusive += recorder_field(at, "inclusive_ns");
        sum.exclusive += recorder_field(at, "exclusive_ns");
    }
    return sum;
}

static void check(struct oracle *oracle) {
    struct counts counts = said(oracle);
    assert_int_equal(counts.calls, oracle->expected.calls);
    assert_int_equal(counts.inclusive, oracle->expected.inclusive);
    assert_int_equal(counts.exclusive, oracle->expected.exclusive);
    assert_int_equal(oracle->region->definitions, oracle->definitions);
}

/* A call path that is written is of what is defined. */
static void expect_path_definitions(const struct recorded *from) {
    while ((from = recorder_next(from, "path_profile")))
        for (unsigned i = 0; i < LEXGIONS; i++)
            if (oracles[i].region->state.id == recorder_field(from, "lexgion"))
                expect_definition(&oracles[i]);
}

static void write_counts(void) {
    const struct recorded *last = NULL;
    for (const struct recorded *at = NULL; (at = recorder_next(at, NULL));)
        last = at;
    pinsight_engine_write_accounts(&engine);
    expect_path_definitions(last);
}

/* The code of a lexgion goes, and other code comes in its place. */
static void retire(void) {
    unsigned number = any(LEXGIONS);
    struct oracle *oracle = &oracles[number];
    if (oracle->running || engine.shared)
        return;
    write_counts();
    check(oracle);
    retired++;
    pinsight_lexgion_retire(&engine, &oracle->region->state);
    new_region(oracle, number);
}

static void time_passes(void) {
    for (unsigned i = 0; i < LEXGIONS; i++) {
        if (pinsight_config_version() == oracles[i].region->state.resolved)
            test_let_pass(oracles[i].region->state.window, LONG_SECONDS);
        else
            continue;
        model_time_passes(&oracles[i].model);
    }
}

static void step(void) {
    now += any(1000);
    switch (any(40)) {
    case 0:
        reload();
        break;
    case 1:
        change_mode();
        break;
    case 2:
        new_session();
        break;
    case 3:
        time_passes();
        break;
    case 4:
        retire();
        break;
    case 5:
        write_counts();
        break;
    default:
        if (any(2))
            begin();
        else
            end();
    }
}

/* One sequence, from an engine that knows nothing. */
static void run(uint64_t first) {
    seed = first;
    recorder_clear();
    test_set_mode(&domain, PINSIGHT_MODE_STANDBY);
    change_mode();
    for (unsigned i = 0; i < LEXGIONS; i++) {
        oracles[i].settings = any_settings();
        new_region(&oracles[i], i);
    }
    outside = windows_ended = ended_executions = ended_recorded = 0;
    reload();
    uint64_t before = thread.outside, windows = pinsight_windows_ended();
    freed = retired = 0;
    for (unsigned i = 0; i < STEPS; i++)
        step();
    while (depth > 0)
        end();
    write_counts();
    for (unsigned i = 0; i < LEXGIONS; i++) {
        check(&oracles[i]);
        add_up(&oracles[i].model);
        pinsight_lexgion_retire(&engine, &oracles[i].region->state);
    }
    pinsight_count_flush(&engine);
    assert_int_equal(freed, retired + LEXGIONS);
    assert_int_equal(thread.outside - before, outside);
    assert_int_equal(test_last("domain_totals", "outside"), thread.outside);
    assert_int_equal(pinsight_windows_ended() - windows, windows_ended);
    assert_int_equal(recorder_count("window_end"), windows_ended);
    assert_int_equal(test_sum("window_end", "executions"), ended_executions);
    assert_int_equal(test_sum("window_end", "recorded"), ended_recorded);
    memset(oracles, 0, sizeof oracles);
}

static void sequences(bool shared) {
    engine.shared = shared;
    engine.wanted = shared ? NULL : wanted; /* as domains of native code have it */
    for (uint64_t i = test_first_seed(), last = i + SEQUENCES; i < last; i++)
        run(i);
}

static void under_a_lock(void **state) {
    (void)state;
    sequences(false);
}

static void without_a_lock(void **state) {
    (void)state;
    sequences(true);
}

int main(void) {
    test_settings_start();
    if (pinsight_domain_register(&domain) != 0)
        return 1;
    thread.core = pinsight_thread_get();
    thread.core->state[domain.slot] = &thread;
    session = 1;
    int result = RUN_TESTS(under_a_lock, without_a_lock);
    test_settings_end();
    return result;
}
