/* A domain that is not there from the start, a runtime that has little, and a forked child. */
#include "openmp_test.h"

#include "tracer/core/process.h"

#include <sys/wait.h>

enum { ROOTS = 3, TEAM = 3 };

static void nothing(void *unused) {
    (void)unused;
}

/* In a process of its own, for it is for good. */
static void off_at_the_start_declines(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        setenv("PINSIGHT_TRACE_OPENMP", "OFF", 1);
        bool loaded = stub_load();
        int answer = pinsight_set_mode("OpenMP", PINSIGHT_MODE_TRACING);
        _exit(loaded ? 1 : answer == 0 ? 2 : stub_has(ompt_callback_parallel_begin) ? 3 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* In STANDBY the runtime is not asked to call. A callback that it does not have is not asked for
 * twice, and in place of the newer ones it is asked for the older. */
static void callbacks_are_set_when_they_are_needed(void **state) {
    (void)state;
    stub_refuse(ompt_callback_target_emi);
    stub_refuse(ompt_callback_target_data_op_emi);
    stub_refuse(ompt_callback_target_submit_emi);
    assert_true(stub_load());
    assert_false(stub_has(ompt_callback_parallel_begin));
    assert_false(stub_has(ompt_callback_thread_begin));
    set_mode(PINSIGHT_MODE_MONITORING);
    assert_true(stub_has(ompt_callback_parallel_begin));
    assert_false(stub_has(ompt_callback_work));
    set_mode(PINSIGHT_MODE_TRACING);
    assert_true(stub_has(ompt_callback_work));
    assert_true(stub_has(ompt_callback_target));
    assert_false(stub_has(ompt_callback_flush)); /* off, if not asked for */
    set_mode(PINSIGHT_MODE_STANDBY);
}

static _Atomic int ready;
static _Atomic bool go;

/* What a thread is in when it is looked at for the first time is not recorded, nor its end. */
static void across(void *unused) {
    (void)unused;
    atomic_fetch_add(&ready, 1);
    while (!atomic_load(&go))
        usleep(100);
    stub_loop(nothing, NULL, CODE(1));
    stub_barrier(CODE(2));
}

static void seen(void *unused) {
    (void)unused;
    stub_loop(nothing, NULL, CODE(3));
    stub_target(CODE(4));
}

static void begin_unseen(void) {
    stub_parallel(TEAM, across, NULL, CODE(5));
    stub_parallel(TEAM, seen, NULL, CODE(6));
}

static void tracing_begins_in_regions(void **state) {
    (void)state;
    set_mode(PINSIGHT_MODE_STANDBY);
    recorder_clear();
    struct test_threads threads = start_roots(ROOTS, begin_unseen);
    while (atomic_load(&ready) < ROOTS * TEAM)
        usleep(100);
    set_mode(PINSIGHT_MODE_TRACING);
    atomic_store(&go, true);
    threads_join(&threads);
    recorder_check_pairs();
    assert_int_equal(recorder_count("parallel_begin"), ROOTS);
    assert_int_equal(recorder_count("work_begin"), ROOTS * TEAM);
    assert_int_equal(recorder_count("target_begin"), ROOTS * TEAM);
    assert_int_equal(recorder_count("target_data_op_end"), ROOTS * TEAM);
    for (const struct recorded *at = NULL; (at = recorder_next(at, "work_begin"));)
        assert_int_equal(recorder_field(at, "codeptr"), (uintptr_t)CODE(3));
    set_mode(PINSIGHT_MODE_STANDBY);
    for (const struct recorded *at = NULL; (at = recorder_next(at, "domain_totals"));) {
        assert_int_equal(recorder_field(at, "lost_frames"), 0);
        assert_int_equal(recorder_field(at, "dropped_ends"), 0);
    }
}

/* The child of a fork in a region goes on with the thread that forked, outside of it. */
static void fork_inside(void *tells) {
    pid_t child = fork();
    if (child == 0) {
        recorder_clear();
        pinsight_process.silent = false; /* LTTng is not told of the fork, and is not needed */
        pinsight_domain_request_mode(&pinsight_openmp_domain, PINSIGHT_MODE_TRACING);
        stub_forked(tells != NULL);
        if (recorder_count("process_info") + recorder_count("thread_begin") > 0)
            _exit(4); /* that was within fork() */
        stub_parallel(1, seen, NULL, CODE(7));
        if (recorder_count("thread_begin") != 1 || recorder_count("implicit_task_begin") != 2 ||
            recorder_count("parallel_end") != 1 || recorder_count("work_end") != 1)
            _exit(1);
        const struct recorded *work = recorder_next(NULL, "work_begin");
        const struct recorded *region = recorder_next(NULL, "parallel_begin");
        _exit(recorder_field(work, "parallel_id") != recorder_field(region, "parallel_id") ? 2
              : recorder_field(region, "global_thread_num") != 0                           ? 3
                                                                                           : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    atomic_store(&ready, status);
}

static void a_child_is_forked(void *tells) {
    set_mode(PINSIGHT_MODE_TRACING);
    recorder_clear();
    atomic_store(&ready, -1);
    stub_begin();
    stub_parallel(1, fork_inside, tells, CODE(8));
    stub_end();
    recorder_check_pairs();
    assert_true(WIFEXITED(atomic_load(&ready)));
    assert_int_equal(WEXITSTATUS(atomic_load(&ready)), 0);
}

static void a_child_is_forked_in_a_region(void **state) {
    (void)state;
    a_child_is_forked(NULL);
}

static void a_child_whose_begins_are_told(void **state) {
    (void)state;
    a_child_is_forked(&ready);
}

int main(void) {
    setenv("PINSIGHT_TRACE_OPENMP", "STANDBY", 1);
    recorder_listen(true);
    return RUN_TESTS(off_at_the_start_declines, callbacks_are_set_when_they_are_needed,
                     tracing_begins_in_regions, a_child_is_forked_in_a_region,
                     a_child_whose_begins_are_told);
}
