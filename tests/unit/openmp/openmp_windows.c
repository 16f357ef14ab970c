/* Windows of regions, counts, and another configuration, while threads are in regions. */
#include "openmp_test.h"

enum { ROOTS = 4, REGIONS = 60, TEAM = 2, SITES = 3 };

static char file[64];
static _Atomic bool stop;

static void configure(const char *text) {
    const struct pinsight_order reload = {.kind = PINSIGHT_ORDER_RELOAD, .reason = "ctl"};
    char other[80];
    snprintf(other, sizeof other, "%s.new", file);
    FILE *out = fopen(other, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_int_equal(rename(other, file), 0);
    order(&reload);
}

static int clean(void **state) {
    (void)state;
    configure("");
    set_mode(PINSIGHT_MODE_TRACING);
    recorder_clear();
    atomic_store(&stop, false);
    return 0;
}

static void inside(void *unused) {
    (void)unused;
    stub_loop(NULL, NULL, CODE(1));
}

static void regions(void) {
    for (int i = 0; i < REGIONS; i++)
        for (int site = 0; site < SITES; site++)
            stub_parallel(TEAM, inside, NULL, CODE(2 + site));
}

static void regions_with(const char *configuration) {
    configure(configuration);
    run_roots(ROOTS, regions);
    recorder_check_pairs();
}

static void a_window_is_of_exactly_its_number(void **state) {
    (void)state;
    regions_with("[Lexgion.default]\nmax_num_traces = 50\n");
    assert_int_equal(recorder_count("parallel_begin"), SITES * 50);
    assert_int_equal(recorder_count("work_begin"), SITES * 50 * TEAM);
    assert_int_equal(recorder_count("window_end"), SITES);
    assert_int_equal(sum_of("window_end", "recorded"), SITES * 50);
    set_mode(PINSIGHT_MODE_STANDBY);
    uint64_t outside = 0;
    for (const struct recorded *at = NULL; (at = recorder_next(at, "domain_totals"));)
        outside = recorder_field(at, "outside");
    assert_int_equal(outside, SITES * (ROOTS * REGIONS - 50));
}

static void a_window_is_sampled(void **state) {
    (void)state;
    regions_with(
        "[Lexgion.default]\ntrace_starts_at = 10\ntracing_rate = 5\nmax_num_traces = 20\n");
    assert_int_equal(recorder_count("parallel_begin"), SITES * 20);
    assert_int_equal(recorder_count("window_end"), SITES);
}

/* What is counted after a window, and what MONITORING counts, is each execution once a thread. */
static void executions_are_counted(void **state) {
    (void)state;
    set_mode(PINSIGHT_MODE_MONITORING);
    recorder_clear();
    run_roots(ROOTS, regions);
    set_mode(PINSIGHT_MODE_STANDBY);
    assert_int_equal(recorder_count("parallel_begin"), 0);
    assert_int_equal(sum_of("lexgion_profile", "calls"), ROOTS * REGIONS * SITES * TEAM);
    for (const struct recorded *at = NULL; (at = recorder_next(at, "lexgion_profile"));)
        assert_true(recorder_field(at, "inclusive_ns") >= recorder_field(at, "exclusive_ns"));
}

static void outer(void *unused) {
    (void)unused;
    stub_parallel(1, inside, NULL, CODE(9));
}

static void nested(void) {
    for (int i = 0; i < REGIONS; i++)
        stub_parallel(TEAM, outer, NULL, CODE(10));
}

/* Counts are written while they are made: nothing is counted twice, and nothing is left out. */
static void counts_are_written_meanwhile(void **state) {
    (void)state;
    set_mode(PINSIGHT_MODE_MONITORING);
    recorder_clear();
    struct test_threads threads = start_roots(ROOTS, nested);
    for (int i = 0; i < 20; i++) {
        pinsight_openmp_domain.rotated(&pinsight_openmp_domain);
        usleep(500);
    }
    threads_join(&threads);
    set_mode(PINSIGHT_MODE_STANDBY);
    /* The outer one in each thread of its team, the inner one in each that began it. */
    assert_int_equal(sum_of("lexgion_profile", "calls"), ROOTS * REGIONS * TEAM * 2);
}

static void until_stopped(void) {
    for (; !atomic_load(&stop); usleep(100))
        for (int site = 0; site < SITES; site++)
            stub_parallel(TEAM, inside, NULL, CODE(2 + site));
}

static void configurations_change_in_regions(void **state) {
    (void)state;
    static const char *const texts[] = {
        "[Lexgion.default]\nmax_num_traces = 20\n",
        "[Lexgion.default]\nmax_num_traces = 30\ntrace_mode_after = MONITORING\n",
        "[OpenMP.punit.thread]\nrange = 0\n",
        "[OpenMP]\nevents = work, parallel\n",
        "[Lexgion.default]\nwindow_timeout = 0.001\n",
        "",
    };
    struct test_threads threads = start_roots(ROOTS, until_stopped);
    for (int i = 0; i < 60; i++) {
        configure(texts[i % 6]);
        usleep(1000);
    }
    atomic_store(&stop, true);
    threads_join(&threads);
    recorder_check_pairs();
    assert_true(recorder_count("parallel_begin") > 0);
}

/* ---- kinds of events that are switched off inside of what they are of ---- */

static void off(void) {
    configure("[OpenMP]\nevents = parallel\n");
}

static void off_in_loop(void *unused) {
    (void)unused;
    off();
}

static void loop_off(void) {
    stub_loop(off_in_loop, NULL, CODE(20));
}
static void masked(void) {
    stub_masked(CODE(21));
}
static void barrier(void) {
    stub_barrier(CODE(22));
}
static void reduction(void) {
    stub_reduction(CODE(23));
}
static void target(void) {
    stub_target(CODE(24));
}

static void call(void *construct) {
    ((void (*)(void))(uintptr_t)construct)();
}

static void (*construct)(void);

/* Once, while its kind is switched off inside of it, and once more when it is off. */
static void twice_in_a_region(void) {
    for (int i = 0; i < 2; i++)
        stub_parallel(1, call, (void *)(uintptr_t)construct, CODE(25));
}

/* Ends that were missing so far, of all threads. */
static uint64_t lost(void) {
    uint64_t frames = 0;
    set_mode(PINSIGHT_MODE_STANDBY); /* writes the accounts */
    for (const struct recorded *at = NULL; (at = recorder_next(at, "domain_totals"));)
        frames = recorder_field(at, "lost_frames");
    set_mode(PINSIGHT_MODE_TRACING);
    return frames;
}

/* What was begun is ended, although its kind is not wanted any more, and when it ends: it is not
 * left to the end of the task around it. What begins then is not recorded. */
static void a_kind_is_switched_off_inside(void **state) {
    (void)state;
    static const struct {
        void (*construct)(void);
        const char *begin, *end;
    } all[] = {
        {loop_off, "work_begin", "work_end"},
        {masked, "masked_begin", "masked_end"},
        {barrier, "barrier_explicit_sync_begin", "barrier_explicit_sync_end"},
        {barrier, "barrier_explicit_sync_wait_begin", "barrier_explicit_sync_wait_end"},
        {reduction, "reduction_begin", "reduction_end"},
        {target, "target_begin", "target_end"},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        configure("");
        uint64_t before = lost();
        recorder_clear();
        construct = all[i].construct;
        atomic_store(&stub_inside, construct == loop_off ? NULL : off);
        run_roots(1, twice_in_a_region);
        atomic_store(&stub_inside, NULL);
        recorder_check_pairs();
        assert_int_equal(recorder_count("parallel_end"), 2);
        assert_int_equal(recorder_count(all[i].begin), 1);
        assert_int_equal(recorder_count(all[i].end), 1);
        assert_int_equal(lost(), before);
    }
}

static void a_range_selects_threads(void **state) {
    (void)state;
    regions_with("[OpenMP.punit.thread]\nrange = 1\n");
    assert_int_equal(recorder_count("work_begin"), ROOTS * REGIONS * SITES);
    for (const struct recorded *at = NULL; (at = recorder_next(at, "work_begin"));)
        assert_int_equal(recorder_field(at, "omp_thread_num"), 1);
}

static int start(void **state) {
    (void)state;
    recorder_listen(true);
    return stub_load() ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    return unlink(file);
}

int main(void) {
    snprintf(file, sizeof file, "/tmp/pinsight-windows-%d.ini", (int)getpid());
    FILE *out = fopen(file, "w");
    if (!out || fclose(out) != 0)
        return 1;
    setenv("PINSIGHT_CONFIG", file, 1);
    return UNIT_RUN(((struct unit_fixtures){start, end, clean, NULL}),
                    a_window_is_of_exactly_its_number, a_window_is_sampled, executions_are_counted,
                    counts_are_written_meanwhile, configurations_change_in_regions,
                    a_kind_is_switched_off_inside, a_range_selects_threads);
}
