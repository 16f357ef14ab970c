/* Many threads in regions, while modes change, threads end, wait, and libraries are unloaded. */
#include "openmp_test.h"

#include "tracer/openmp/thread.h"

#include <time.h>

enum { ROOTS = 3, REGIONS = 100, TEAM = 3 };

static _Atomic bool stop;

static void nothing(void *unused) {
    (void)unused;
}

static void construct(void *unused) {
    (void)unused;
    stub_loop(NULL, NULL, CODE(1));
    stub_critical(CODE(2));
    stub_masked(CODE(3));
    stub_barrier(CODE(4));
    stub_reduction(CODE(5));
    stub_task(nothing, NULL, CODE(6));
    stub_nest_lock(CODE(7));
    stub_target(CODE(8));
}

static void regions(void) {
    for (int i = 0; i < REGIONS; i++)
        stub_parallel(TEAM, construct, NULL, CODE(i % 4));
}

static int clean(void **state) {
    (void)state;
    set_mode(PINSIGHT_MODE_TRACING);
    recorder_clear();
    atomic_store(&stop, false);
    return 0;
}

/* A worker leaves a region, and the one before ended, in one event. */
static size_t parts_begun(void) {
    return recorder_count("implicit_task_begin") + recorder_count("implicit_task_next");
}

static size_t barriers(void) {
    return recorder_count("barrier_implicit_sync_end") + recorder_count("barrier_implicit_begin");
}

static void begins_equal_ends(void **state) {
    (void)state;
    const size_t parts = ROOTS * REGIONS * TEAM;
    run_roots(ROOTS, regions);
    recorder_check_pairs();
    recorder_check_unique("parallel_begin", "parallel_id");
    recorder_check_unique("task_create", "new_task_id");
    recorder_check_unique("target_begin", "target_id");
    assert_int_equal(recorder_count("parallel_begin"), ROOTS * REGIONS);
    assert_int_equal(parts_begun(), parts + ROOTS);
    assert_int_equal(recorder_count("thread_begin"), ROOTS * TEAM);
    assert_int_equal(recorder_count("work_begin"), parts);
    assert_int_equal(recorder_count("masked_end"), parts);
    assert_int_equal(recorder_count("reduction_end"), parts);
    assert_int_equal(recorder_count("barrier_explicit_sync_wait_end"), parts);
    assert_int_equal(barriers(), parts);
    assert_int_equal(recorder_count("task_create"), parts);
    assert_int_equal(recorder_count("task_schedule"), 2 * parts);
    assert_int_equal(recorder_count("dependence"), parts);
    assert_int_equal(recorder_count("critical_acquire"), parts);
    assert_int_equal(recorder_count("critical_released"), parts);
    assert_int_equal(recorder_count("lock_nest_end"), parts);
    assert_int_equal(recorder_count("target_data_op_end"), parts);
    assert_int_equal(recorder_count("target_submit_end"), parts);
}

static void three_regions(void) {
    for (int i = 0; i < 3; i++)
        stub_parallel(2, nothing, NULL, CODE(51));
}

/* What another thread than the first records is on the way of the whole region. */
static void other_threads_tell_several_things_in_one(void **state) {
    (void)state;
    run_roots(1, three_regions);
    recorder_check_pairs();
    assert_int_equal(recorder_count("implicit_task_begin"),
                     1 + 3 + 1); /* one is the initial task */
    assert_int_equal(recorder_count("implicit_task_next"), 2);
    assert_int_equal(recorder_count("barrier_implicit_begin"), 3);
    assert_int_equal(recorder_count("barrier_implicit_end"), 1);
    assert_int_equal(sum_of("barrier_implicit_end", "ends_task"), 1);
    assert_int_equal(recorder_count("implicit_task_end"), 1 + 3);
    assert_int_equal(recorder_count("barrier_implicit_sync_begin"), 3);
}

static void a_loop(void *unused) {
    stub_loop(nothing, unused, CODE(52));
}

static void a_region_not_recorded(void) {
    stub_parallel(2, a_loop, NULL, CODE(53));
    set_mode(PINSIGHT_MODE_STANDBY);
    stub_parallel(2, a_loop, NULL, CODE(53));
    set_mode(PINSIGHT_MODE_TRACING);
    stub_parallel(2, a_loop, NULL, CODE(53));
}

/* The end of a task comes with the next begin, or by itself where that is not recorded. */
static void a_task_ends_before_one_that_is_not_recorded(void **state) {
    (void)state;
    run_roots(1, a_region_not_recorded);
    recorder_check_pairs();
    assert_int_equal(recorder_count("parallel_begin"), 2);
    assert_int_equal(recorder_count("implicit_task_next"), 0);
    assert_int_equal(sum_of("barrier_implicit_end", "ends_task"), 2);
}

/* Every region is known under one number, in whatever thread it was met first. */
static void addresses_are_defined_once(void **state) {
    (void)state;
    recorder_listen(false);
    set_mode(PINSIGHT_MODE_STANDBY);
    recorder_listen(true);
    pinsight_session_version_next();
    clean(NULL);
    run_roots(ROOTS, regions);
    uint32_t highest = 0;
    for (const struct recorded *at = NULL; (at = recorder_next(at, "region_info"));) {
        uint32_t id = (uint32_t)recorder_field(at, "lexgion");
        const struct pinsight_native_lexgion *lexgion = by_id(id);
        assert_non_null(lexgion);
        assert_int_equal(lexgion->codeptr, recorder_field(at, "codeptr"));
        highest = id > highest ? id : highest;
    }
    assert_int_equal(highest, 9);
}

static void try_locks(void *unused) {
    (void)unused;
    stub_test_lock(CODE(41));
}

static void lock_in_regions(void) {
    stub_parallel(TEAM, try_locks, NULL, CODE(42));
}

static void a_lock_is_released_as_what_it_was_had(void **state) {
    (void)state;
    run_roots(ROOTS, lock_in_regions);
    assert_int_equal(recorder_count("lock_released"), ROOTS * TEAM);
    assert_int_equal(sum_of("lock_released", "mutex_kind"), ROOTS * TEAM * ompt_mutex_test_lock);
}

static uint64_t lost_frames(void) {
    uint64_t lost = 0;
    set_mode(PINSIGHT_MODE_STANDBY); /* writes the accounts */
    for (const struct recorded *at = NULL; (at = recorder_next(at, "domain_totals"));)
        lost = recorder_field(at, "lost_frames");
    return lost;
}

static void singles(void *unused) {
    stub_unreported_single(CODE(61));
    stub_critical(CODE(62)); /* may stand in it */
    stub_parallel(1, nothing, unused, CODE(63));
    stub_loop(nothing, unused, CODE(64));
    stub_unreported_single(CODE(61));
    stub_masked(CODE(65));
    stub_unreported_single(CODE(61));
    stub_barrier(CODE(66));
    stub_unreported_single(CODE(61));
    stub_unreported_single(CODE(61));
}

static void singles_in_regions(void) {
    stub_parallel(2, singles, NULL, CODE(67));
    stub_unreported_single(CODE(61)); /* outside of regions, and nothing follows */
}

/* Of GCC's single constructs no end is told: each ends where what cannot stand in it begins. */
static void singles_end_untold(void **state) {
    (void)state;
    const uint64_t before = lost_frames();
    clean(NULL);
    run_roots(1, singles_in_regions);
    recorder_check_pairs();
    assert_int_equal(recorder_count("work_begin"), 2 * (5 + 1) + 1);
    const struct recorded *at = recorder_next(NULL, "work_end");
    assert_int_equal(recorder_field(at, "codeptr"), (uintptr_t)CODE(61));
    assert_int_equal(lost_frames(), before);
}

static void leave_loop(void *unused) {
    (void)unused;
    stub_unended_loop(CODE(71));
}

static void leave_loops(void) {
    stub_parallel(2, leave_loop, NULL, CODE(72));
    stub_parallel(2, leave_loop, NULL, CODE(72));
}

/* A loop without an end is ended by its task. A worker's task ends with its last barrier in one
 * event, which would leave no place between them. */
static void lost_loops_end_before_their_tasks(void **state) {
    (void)state;
    const uint64_t before = lost_frames();
    clean(NULL);
    run_roots(1, leave_loops);
    recorder_check_pairs();
    assert_int_equal(recorder_count("work_begin"), 4);
    assert_int_equal(recorder_count("work_end"), 4);
    assert_int_equal(lost_frames(), before + 4);
}

static void inner(void *unused) {
    (void)unused;
    stub_loop(nothing, NULL, CODE(11));
}

static void outer(void *unused) {
    (void)unused;
    stub_parallel(2, inner, NULL, CODE(12));
    stub_barrier(CODE(13));
    stub_parallel(2, inner, NULL, CODE(12));
}

static void nested(void) {
    for (int i = 0; i < 20; i++)
        stub_parallel(TEAM, outer, NULL, CODE(14));
}

static void regions_may_be_nested(void **state) {
    (void)state;
    run_roots(ROOTS, nested);
    recorder_check_pairs();
    recorder_check_unique("parallel_begin", "parallel_id");
    assert_int_equal(recorder_count("parallel_end"), ROOTS * 20 * (1 + 2 * TEAM));
    assert_int_equal(recorder_count("work_end"), ROOTS * 20 * 4 * TEAM);
    /* What happens in an inner region carries its number, and its address. */
    for (const struct recorded *at = NULL; (at = recorder_next(at, "work_begin"));)
        assert_int_equal(recorder_field(at, "parallel_codeptr"), (uintptr_t)CODE(12));
}

static void until_stopped(void) {
    for (; !atomic_load(&stop); usleep(50))
        stub_parallel(TEAM, construct, NULL, CODE(21));
}

static void pause_ms(long ms) {
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

static void modes_change_in_regions(void **state) {
    (void)state;
    static const enum pinsight_mode modes[] = {
        PINSIGHT_MODE_STANDBY, PINSIGHT_MODE_TRACING,    PINSIGHT_MODE_MONITORING,
        PINSIGHT_MODE_TRACING, PINSIGHT_MODE_MONITORING, PINSIGHT_MODE_OFF,
    };
    struct test_threads threads = start_roots(ROOTS, until_stopped);
    for (int i = 0; i < 60; i++) {
        set_mode(modes[i % 6]);
        pause_ms(1);
    }
    set_mode(PINSIGHT_MODE_TRACING);
    atomic_store(&stop, true);
    threads_join(&threads);
    recorder_check_pairs();
    recorder_check_unique("parallel_begin", "parallel_id");
    assert_true(recorder_count("parallel_begin") > 0);
}

static void some_regions(void) {
    for (int i = 0; i < 3; i++)
        stub_parallel(TEAM, construct, NULL, CODE(22));
}

/* Threads begin and end meanwhile. Each session is told of every thread and of every region again.
 */
static void sessions_come_and_go(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct test_threads threads = start_roots(ROOTS, some_regions);
        recorder_listen(i % 2);
        pause_ms(1);
        recorder_listen(true);
        threads_join(&threads);
    }
    assert_true(recorder_count("thread_info") > ROOTS);
    assert_true(recorder_count("region_info") > 1);
}

static void threads_wait(void **state) {
    (void)state;
    struct test_threads threads = start_roots(ROOTS, until_stopped);
    for (int i = 0; i < 5; i++) {
        uint32_t stopped = 0, running = 0;
        pause_ms(1);
        pinsight_threads_pause(&stopped, &running);
        pinsight_openmp_domain.rotated(&pinsight_openmp_domain);
        pinsight_threads_go_on();
    }
    atomic_store(&stop, true);
    threads_join(&threads);
    recorder_check_pairs();
    assert_true(recorder_count("domain_totals") >= 5);
}

static void leave(void *unused) {
    (void)unused;
    stub_leave();
}

static __thread bool is_root;

/* Every worker ends inside of what it does, in two ways; the thread that began the region stays. */
static void workers_leave(void *in_a_task) {
    construct(NULL);
    if (is_root)
        return;
    if (in_a_task)
        stub_task(leave, NULL, CODE(31));
    stub_loop(leave, NULL, CODE(32));
}

static void leaving(void) {
    is_root = true;
    for (int i = 0; i < 20; i++) {
        stub_parallel(TEAM, construct, NULL, CODE(33));
        stub_parallel(TEAM, workers_leave, i % 2 ? &stop : NULL, CODE(34));
    }
}

/* A thread of the program's that tells no end of its task nor of itself. */
static void *end_silently(void *unused) {
    stub_begin();
    stub_parallel(1, construct, NULL, CODE(35));
    return unused;
}

static void threads_end_inside(void **state) {
    (void)state;
    struct test_threads threads = threads_start(8, end_silently, NULL, 0);
    run_roots(ROOTS, leaving);
    threads_join(&threads);
    recorder_check_pairs();
    assert_int_equal(recorder_count("thread_begin"), recorder_count("thread_end"));
    const size_t left = ROOTS * 20 * (TEAM - 1);
    assert_int_equal(recorder_count("thread_end"), 8 + ROOTS + left);
    assert_true(lost_frames() >= left);
}

static void *unload(void *unused) {
    while (!atomic_load(&stop)) {
        pinsight_objects_unloaded();
        pause_ms(1);
    }
    return unused;
}

static void libraries_are_unloaded(void **state) {
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, unload, NULL), 0);
    run_roots(ROOTS, regions);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    recorder_check_pairs();
    assert_int_equal(recorder_count("parallel_begin"), ROOTS * REGIONS);
}

static void the_runtime_is_unloaded_and_loaded_again(void **state) {
    (void)state;
    stub_unload();
    assert_false(stub_has(ompt_callback_parallel_begin));
    set_mode(PINSIGHT_MODE_STANDBY);
    set_mode(PINSIGHT_MODE_TRACING);
    assert_true(stub_load());
    run_roots(ROOTS, regions);
    recorder_check_pairs();
    assert_int_equal(recorder_count("parallel_begin"), ROOTS * REGIONS);
}

static int start(void **state) {
    (void)state;
    recorder_listen(true);
    return stub_load() ? 0 : -1;
}

int main(void) {
    setenv("PINSIGHT_TRACE_OPENMP", "TRACING", 1);
    return UNIT_RUN(((struct unit_fixtures){start, NULL, clean, NULL}), begins_equal_ends,
                    other_threads_tell_several_things_in_one,
                    a_task_ends_before_one_that_is_not_recorded, addresses_are_defined_once,
                    a_lock_is_released_as_what_it_was_had, singles_end_untold,
                    lost_loops_end_before_their_tasks, regions_may_be_nested,
                    modes_change_in_regions, sessions_come_and_go, threads_wait, threads_end_inside,
                    libraries_are_unloaded, the_runtime_is_unloaded_and_loaded_again);
}
