/* Regions of OpenMP: the times that follow from the events, worked out by hand. */
#include "unit.h"

#include "base/users_code.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/model.h"
#include "reader/openmp/openmp.h"
#include "reader/python/names.h"

#define IMPLICIT PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER
#define OLD_KIND 2 /* barrier_implicit: a runtime that says no more */
#define END_KIND PINSIGHT_SYNC_IMPLICIT_PARALLEL
enum { COMPLETE = 1, SWITCH = 7 };

struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_omp_thread *threads[4]; /* 0 is the main thread */
};

static void make(struct fixture *f, struct pinsight_model_options options) {
    f->model = pinsight_model_new(&options);
    f->process = pinsight_model_process(f->model, 0, 100);
    for (uint32_t i = 0; i < 4; i++)
        f->threads[i] = pinsight_omp_thread_of(
            pinsight_model_thread(f->process, i ? -1 : 0, 100 + i), f->process);
    pinsight_openmp_of(f->model);
}

static int setup(void **state) {
    static struct fixture fixture;

    make(&fixture, (struct pinsight_model_options){.thread = -1, .process = -1});
    *state = &fixture;
    return 0;
}

static int teardown(void **state) {
    pinsight_model_free(((struct fixture *)*state)->model);
    return 0;
}

static void begin(struct fixture *f, int thread, uint64_t id, uint64_t task, uint64_t ns) {
    pinsight_omp_region_begin(f->threads[thread], id, task, pinsight_native_at(f->process, 0x10),
                              PINSIGHT_NONE, PINSIGHT_OMP_PARALLEL, ns);
}

static void part(struct fixture *f, int thread, uint64_t id, uint32_t number, uint32_t size,
                 uint64_t ns) {
    pinsight_omp_part_begin(f->threads[thread], id, 1000 + 10 * id + number, number, size, ns);
}

static void barrier(struct fixture *f, int thread, uint64_t id, bool enters, unsigned kind,
                    uint64_t ns) {
    if (!enters)
        pinsight_omp_sync_wait(f->threads[thread], id, IMPLICIT, false, ns);
    pinsight_omp_sync(f->threads[thread], id, IMPLICIT, kind, enters, ns);
    if (enters)
        pinsight_omp_sync_wait(f->threads[thread], id, IMPLICIT, true, ns);
}

static struct pinsight_omp_region *first(struct fixture *f) {
    assert_true(pinsight_model_openmp(f->model)->region_count > 0);
    return &pinsight_model_openmp(f->model)->regions[0];
}

/* Thread 1 works twice as long as thread 0: 100 and 200. It is told to leave much later: by itself,
 * or, where `later` is 0, with the begin of its next part. */
static void run_simple_until(struct fixture *f, uint64_t id, uint64_t t, unsigned kind,
                             uint64_t later) {
    begin(f, 0, id, 1, t);
    part(f, 0, id, 0, 2, t + 10); /* fork 10 */
    if (!later)
        pinsight_omp_part_left(f->threads[1], t + 12);
    part(f, 1, id, 1, 2, t + 12);
    barrier(f, 0, id, true, kind, t + 110);
    barrier(f, 1, id, true, kind, t + 212);
    barrier(f, 0, id, false, kind, t + 215); /* the primary waited 105 */
    pinsight_omp_part_end(f->threads[0], id, t + 216);
    pinsight_omp_region_end(f->threads[0], id, t + 220); /* join 5 */
    if (later) {
        barrier(f, 1, id, false, kind, t + later);
        pinsight_omp_part_end(f->threads[1], id, t + later + 1);
    }
}

static void run_simple(struct fixture *f, uint64_t id, uint64_t t, unsigned kind) {
    run_simple_until(f, id, t, kind, 900);
}

static void simple_until(struct fixture *f, unsigned kind, uint64_t later) {
    struct pinsight_omp_region *region;

    run_simple_until(f, 1, 1000, kind, later);
    run_simple_until(f, 2, 2000, kind, later);
    region = first(f);
    assert_int_equal(pinsight_model_openmp(f->model)->region_count, 1);
    assert_int_equal(pinsight_model_openmp(f->model)->open_instances, 0);
    assert_int_equal(region->calls, 2);
    assert_int_equal(region->total_ns, 2 * 220);
    assert_int_equal(region->measured, 2);
    assert_int_equal(region->joined, 2);
    assert_int_equal(region->threads, 2);
    assert_int_equal(region->work_ns, 2 * (100 + 200));
    assert_int_equal(region->longest_ns, 2 * 200);
    assert_int_equal(region->mean_ns, 2 * 150);
    assert_int_equal(region->imbalance_ns, 2 * (105 + 8)); /* 212 to 220 is thread 1's */
    assert_int_equal(region->wait_ns[IMPLICIT], 2 * (105 + 8));
    assert_int_equal(region->fork_ns, 2 * 10);
    assert_int_equal(region->join_ns, 2 * 5);
    assert_int_equal(region->thread_work_count, 2);
    assert_int_equal(region->thread_work_ns[0], 200);
    assert_int_equal(region->thread_work_ns[1], 400);
    assert_int_equal(region->caller.total_ns, 2 * 220);
    assert_int_equal(region->caller.work_ns, 2 * 100);
    assert_int_equal(region->caller.imbalance_ns, 2 * 105);
    assert_int_equal(region->caller.waiting_ns, 0);
    assert_int_equal(region->caller.runtime_ns, 2 * 15);
    assert_int_equal(f->threads[1]->work_ns, 400);
    assert_int_equal(f->threads[0]->outside_ns, 440);
    assert_int_equal(pinsight_model_openmp(f->model)->unmatched_begins, 0);
    assert_int_equal(pinsight_model_openmp(f->model)->unmatched_ends, 0);
}

static void imbalance(void **state) {
    simple_until(*state, END_KIND, 900);
}

/* A part of a region may be told just before it, and no sooner. */
static void simultaneous(void **state) {
    struct fixture *f = *state;

    part(f, 2, 1, 2, 3, 9700);
    part(f, 1, 1, 1, 3, 9850);
    begin(f, 0, 1, 1, 10000);
    part(f, 0, 1, 0, 3, 10010);
    for (int i = 0; i < 3; i++)
        barrier(f, i, 1, true, END_KIND, 10110);
    barrier(f, 0, 1, false, END_KIND, 10115);
    pinsight_omp_part_end(f->threads[0], 1, 10116);
    pinsight_omp_region_end(f->threads[0], 1, 10120);
    assert_int_equal(first(f)->calls, 1);
    assert_int_equal(first(f)->threads, 2);
    assert_int_equal(first(f)->thread_work_ns[1], 260);
}

static void imbalance_of_an_older_runtime(void **state) {
    simple_until(*state, OLD_KIND, 900);
}

static void a_part_ends_with_the_next(void **state) {
    simple_until(*state, END_KIND, 0);
}

static void a_part_ends_with_the_next_in_an_older_runtime(void **state) {
    simple_until(*state, OLD_KIND, 0);
}

/* Also where the end of the region was lost, or is not told at all. */
static void a_part_ends_with_the_next_and_not_the_region(void **state) {
    struct fixture *f = *state;

    begin(f, 0, 1, 1, 1000);
    part(f, 1, 1, 1, 2, 1010);
    barrier(f, 1, 1, true, END_KIND, 1100);
    pinsight_omp_part_left(f->threads[1], 1500);
    assert_int_equal(f->threads[1]->scope_count, 0);
    part(f, 1, 2, 1, 2, 1500);
    assert_int_equal(f->threads[1]->scope_count, 1);
    pinsight_omp_part_left(f->threads[2], 1500);
    assert_int_equal(f->threads[2]->scope_count, 0);
}

/* Region 1 begins at 1000, with threads 0 and 1. */
static void region_of_two(struct fixture *f) {
    begin(f, 0, 1, 1, 1000);
    part(f, 0, 1, 0, 2, 1000);
    part(f, 1, 1, 1, 2, 1000);
}

/* Region 1 ends, and thread 0's part of it; its sums. */
static const struct pinsight_omp_region *ended(struct fixture *f, uint64_t ns) {
    pinsight_omp_part_end(f->threads[0], 1, ns);
    pinsight_omp_region_end(f->threads[0], 1, ns);
    return first(f);
}

/* A loop's barrier is waiting, the region's is imbalance, also where both are called the same. */
static void barriers_within(void **state) {
    struct fixture *f = *state;
    const struct pinsight_omp_region *region;

    region_of_two(f);
    barrier(f, 0, 1, true, OLD_KIND, 1050);
    barrier(f, 1, 1, true, OLD_KIND, 1080);
    barrier(f, 0, 1, false, OLD_KIND, 1080); /* 30 waited */
    barrier(f, 1, 1, false, OLD_KIND, 1080);
    pinsight_omp_sync(f->threads[1], 1, PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER, 0, true, 1090);
    pinsight_omp_sync(f->threads[0], 1, PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER, 0, true, 1100);
    pinsight_omp_sync(f->threads[0], 1, PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER, 0, false, 1100);
    pinsight_omp_sync(f->threads[1], 1, PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER, 0, false,
                      1100); /* 10 */
    barrier(f, 1, 1, true, OLD_KIND, 1110);
    barrier(f, 0, 1, true, OLD_KIND, 1150);
    barrier(f, 0, 1, false, OLD_KIND, 1150);
    region = ended(f, 1150);
    assert_int_equal(region->imbalance_ns, 40);
    assert_int_equal(region->wait_ns[IMPLICIT], 30 + 40);
    assert_int_equal(region->wait_ns[PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER], 10);
    assert_int_equal(region->work_ns, (50 + 20 + 50) + (80 + 10 + 10));
    assert_int_equal(region->caller.waiting_ns, 30);
    assert_int_equal(region->caller.imbalance_ns, 0);
    assert_int_equal(region->caller.work_ns, 120);
}

/* Tasks that a thread runs while it would wait are work. */
static void tasks_in_a_barrier(void **state) {
    struct fixture *f = *state;
    const struct pinsight_omp_region *region;
    struct pinsight_omp_thread *other = f->threads[1];
    uint64_t implicit = 1000 + 10 + 1;

    region_of_two(f);
    barrier(f, 1, 1, true, END_KIND, 1010);
    pinsight_omp_task_made(f->threads[0], 1, 1020);
    pinsight_omp_task_made(f->threads[0], 1, 1021);
    pinsight_omp_task_switch(other, 1, implicit, 77, SWITCH, 1030); /* waited 20 */
    /* The task waits for a child, which this thread runs: 10 of waiting in all. */
    pinsight_omp_sync(other, 1, PINSIGHT_OMP_WAIT_TASKWAIT, 0, true, 1040);
    pinsight_omp_task_switch(other, 1, 77, 78, SWITCH, 1045);
    pinsight_omp_task_switch(other, 1, 78, 77, COMPLETE, 1065);
    pinsight_omp_sync(other, 1, PINSIGHT_OMP_WAIT_TASKWAIT, 0, false, 1070);
    pinsight_omp_task_switch(other, 1, 77, implicit, COMPLETE, 1080);
    barrier(f, 0, 1, true, END_KIND, 1100);
    barrier(f, 0, 1, false, END_KIND, 1100);
    region = ended(f, 1100);
    assert_int_equal(region->tasks, 2);
    assert_int_equal(pinsight_model_openmp(f->model)->tasks_done, 2);
    assert_int_equal(region->thread_work_ns[1], 10 + 10 + 20 + 10);
    assert_int_equal(region->wait_ns[PINSIGHT_OMP_WAIT_TASKWAIT], 10);
    assert_int_equal(region->wait_ns[IMPLICIT], 20 + 20);
    assert_int_equal(region->imbalance_ns, 40);
}

static void mutexes(void **state) {
    struct fixture *f = *state;
    const struct pinsight_omp_region *region;
    struct pinsight_omp_thread *thread = f->threads[0];

    begin(f, 0, 1, 1, 1000);
    part(f, 0, 1, 0, 1, 1000);
    pinsight_omp_acquire(thread, 1, PINSIGHT_OMP_WAIT_CRITICAL, 1010);
    pinsight_omp_acquired(thread, 1, PINSIGHT_OMP_WAIT_CRITICAL, 1030);
    pinsight_omp_other(thread, 1, 1035); /* released */
    pinsight_omp_acquire(thread, 1, PINSIGHT_OMP_WAIT_LOCK, 1040);
    pinsight_omp_acquired(thread, 1, PINSIGHT_OMP_WAIT_LOCK, 1045);
    /* One whose acquired was lost is work. */
    pinsight_omp_acquire(thread, 1, PINSIGHT_OMP_WAIT_LOCK, 1050);
    pinsight_omp_other(thread, 1, 1060);
    pinsight_omp_acquired(thread, 1, PINSIGHT_OMP_WAIT_LOCK, 1070);
    pinsight_omp_sync(thread, 1, PINSIGHT_OMP_WAIT_TASKGROUP, 0, true, 1070); /* no waiting yet */
    pinsight_omp_sync_wait(thread, 1, PINSIGHT_OMP_WAIT_TASKGROUP, true, 1080);
    pinsight_omp_sync_wait(thread, 1, PINSIGHT_OMP_WAIT_TASKGROUP, false, 1087);
    pinsight_omp_sync(thread, 1, PINSIGHT_OMP_WAIT_TASKGROUP, 0, false, 1088);
    pinsight_omp_part_end(thread, 1, 1100);
    pinsight_omp_region_end(thread, 1, 1101);
    region = first(f);
    assert_int_equal(region->wait_ns[PINSIGHT_OMP_WAIT_CRITICAL], 20);
    assert_int_equal(region->wait_ns[PINSIGHT_OMP_WAIT_LOCK], 5);
    assert_int_equal(region->wait_ns[PINSIGHT_OMP_WAIT_TASKGROUP], 7);
    assert_int_equal(region->work_ns, 100 - 20 - 5 - 7);
    assert_int_equal(region->caller.waiting_ns, 32);
    assert_int_equal(region->caller.runtime_ns, 1);
    assert_int_equal(region->joined, 1); /* one thread is in balance */
}

static void nested(void **state) {
    struct fixture *f = *state;
    struct pinsight_openmp *openmp = pinsight_model_openmp(f->model);
    uint32_t outer_path = pinsight_path_of(f->process, 5);

    pinsight_omp_region_begin(f->threads[0], 1, 1, pinsight_native_at(f->process, 0x10), outer_path,
                              PINSIGHT_OMP_PARALLEL, 1000);
    part(f, 0, 1, 0, 2, 1000);
    part(f, 1, 1, 1, 2, 1000);
    /* Thread 1 starts a region of two; it has no Python, its region has the path all the same. */
    pinsight_omp_region_begin(f->threads[1], 2, 1011, pinsight_native_at(f->process, 0x20),
                              PINSIGHT_NONE, PINSIGHT_OMP_PARALLEL, 1010);
    part(f, 1, 2, 0, 2, 1012);
    part(f, 2, 2, 1, 2, 1012);
    barrier(f, 1, 2, true, END_KIND, 1030);
    barrier(f, 2, 2, true, END_KIND, 1050);
    barrier(f, 1, 2, false, END_KIND, 1050);
    pinsight_omp_part_end(f->threads[1], 2, 1050);
    pinsight_omp_region_end(f->threads[1], 2, 1052);
    barrier(f, 1, 1, true, END_KIND, 1060);
    barrier(f, 0, 1, true, END_KIND, 1100);
    barrier(f, 0, 1, false, END_KIND, 1100);
    pinsight_omp_part_end(f->threads[0], 1, 1100);
    pinsight_omp_region_end(f->threads[0], 1, 1100);
    assert_int_equal(openmp->region_count, 2);
    assert_int_equal(openmp->regions[0].work_ns, 100 + 60);
    assert_int_equal(openmp->regions[0].imbalance_ns, 40);
    assert_int_equal(openmp->regions[0].nested, 0);
    assert_int_equal(openmp->regions[1].path, outer_path);
    assert_int_equal(openmp->regions[1].nested, 1);
    assert_int_equal(openmp->regions[1].total_ns, 42);
    assert_int_equal(openmp->regions[1].work_ns, 18 + 38);
    assert_int_equal(openmp->regions[1].imbalance_ns, 20 + 2);
    assert_int_equal(openmp->regions[1].caller.calls, 0);
    /* What the inner region took is not counted twice in its thread. */
    assert_int_equal(f->threads[1]->work_ns, 60);
    assert_int_equal(f->threads[2]->work_ns, 38);
}

static uint32_t function(struct fixture *f, const char *name, const char *file) {
    struct pinsight_strings *strings = &f->model->strings;

    return pinsight_names_function(f->model, pinsight_strings_add(strings, name, strlen(name)),
                                   pinsight_strings_add(strings, file, strlen(file)), 1);
}

/* What Python and C took, and what regions took within, add up; Python within a region counts once.
 */
static void within_python(void **state) {
    struct fixture *f = *state;
    struct pinsight_thread *main = f->threads[0]->thread;
    uint32_t a = function(f, "a", "/home/me/a.py"), b = function(f, "b", "/home/me/a.py");
    uint32_t site = pinsight_names_site(
        f->model, pinsight_names_callee(f->model, pinsight_strings_add(&f->model->strings, "c", 1)),
        a, 3);
    const struct pinsight_stats *stats;

    pinsight_model_begin(main, PINSIGHT_FUNCTION, a, 0, 1000);
    pinsight_model_begin(main, PINSIGHT_C_CALL, site, 0, 1010);
    begin(f, 0, 1, 1, 1020);
    part(f, 0, 1, 0, 1, 1025);
    pinsight_model_begin(main, PINSIGHT_FUNCTION, b, 0, 1030);
    pinsight_model_end(main, PINSIGHT_FUNCTION, b, 0, 1040);
    pinsight_omp_part_end(f->threads[0], 1, 1055);
    pinsight_omp_region_end(f->threads[0], 1, 1060);
    pinsight_model_end(main, PINSIGHT_C_CALL, site, 0, 1070);
    pinsight_model_end(main, PINSIGHT_FUNCTION, a, 0, 1100);
    stats = &f->model->sites[site].stats;
    assert_int_equal(stats->self_ns, 50);
    assert_int_equal(stats->openmp_ns, 30);
    assert_int_equal(first(f)->total_ns, 40);
    assert_int_equal(first(f)->caller.total_ns, 30);
    assert_int_equal(first(f)->caller.work_ns, 20);
    assert_int_equal(first(f)->caller.runtime_ns, 10);
    assert_int_equal(f->threads[0]->outside_ns, 0);
    assert_int_equal(f->model->functions[a].stats.self_ns + f->model->functions[b].stats.self_ns +
                         stats->self_ns - stats->openmp_ns + first(f)->caller.total_ns,
                     main->busy_ns);
}

/* Ends that are missing, ends of nothing, the same begin twice. */
static void damaged(void **state) {
    struct fixture *f = *state;
    struct pinsight_openmp *openmp = pinsight_model_openmp(f->model);

    pinsight_omp_region_end(f->threads[0], 99, 900);
    assert_int_equal(openmp->unmatched_ends, 1);
    pinsight_omp_part_end(f->threads[1], 99, 900);
    barrier(f, 1, 99, true, END_KIND, 905);
    begin(f, 0, 1, 1, 1000);
    begin(f, 1, 1, 2, 1001); /* the same number again */
    assert_int_equal(openmp->unmatched_begins, 1);
    part(f, 0, 1, 0, 2, 1010);
    part(f, 0, 1, 0, 2, 1011);
    part(f, 1, 1, 1, UINT32_MAX, 1012);
    part(f, 2, 1, UINT32_MAX, 2, 1012);
    /* The same task starts another one: the first is over. */
    begin(f, 0, 2, 1, 1100);
    assert_int_equal(openmp->unmatched_begins, 2);
    assert_int_equal(first(f)->calls, 1);
    assert_int_equal(first(f)->total_ns, 100);
    assert_int_equal(first(f)->thread_work_count, 2);
    assert_int_equal(openmp->open_instances, 1);
    for (uint64_t i = 0; i < 100000; i++)
        begin(f, 3, 1000 + i, 0, 2000 + i);
    assert_true(openmp->open_instances < 1000);
    assert_true(openmp->too_deep > 99000);
    for (uint64_t i = 0; i < 10000; i++)
        pinsight_omp_task_switch(f->threads[0], 2, i, i + 1, SWITCH, 3000);
    f->process->last_ns = 3000;
    pinsight_model_finish(f->model);
    assert_int_equal(openmp->open_instances, 0);
}

static void one_thread_is_shown(void **state) {
    struct fixture *f = *state;

    pinsight_model_free(f->model);
    make(f, (struct pinsight_model_options){.thread = 0, .process = -1});
    run_simple(f, 1, 1000, END_KIND);
    begin(f, 1, 2, 5, 3000);
    pinsight_omp_region_end(f->threads[1], 2, 3100);
    assert_int_equal(first(f)->calls, 1);
    assert_int_equal(first(f)->work_ns, 300); /* of all threads of its regions */
}

static void info(struct fixture *f, uint32_t path, uint32_t parent, uint32_t code, int line) {
    pinsight_path_info(f->process, path, parent, code, line);
}

static void code(struct fixture *f, uint32_t number, const char *name, const char *file) {
    pinsight_names_code_info(f->process, number, number, name, file, 1, "?");
}

static void paths(void **state) {
    struct fixture *f = *state;
    uint32_t path, *frames;
    size_t count;

    info(f, 1, 0, 1, 10); /* its code's name comes later */
    info(f, 2, 1, 2, 20);
    info(f, 3, 2, 3, 30);
    code(f, 1, "<module>", "/home/me/lib/python3/app.py");
    code(f, 2, "solve", "/usr/lib/python3/dist-packages/numpy/linalg/linalg.py");
    code(f, 3, "solve", "<__array_function__ internals>");
    path = pinsight_path_of(f->process, 3);
    frames = pinsight_path_frames(f->model, path, &count);
    assert_int_equal(count, 3);
    assert_int_equal(f->model->paths[frames[0]].line, 10);
    assert_int_equal(f->model->paths[frames[2]].line, 30);
    free(frames);
    assert_int_equal(pinsight_path_of(f->process, 0), PINSIGHT_NONE);
    assert_null(pinsight_path_frames(f->model, PINSIGHT_NONE, &count));
    assert_int_equal(f->model->paths[pinsight_path_users_line(f->model, path)].line, 10);
}

static void users_line_where_all_is_library(void **state) {
    struct fixture *f = *state;

    info(f, 1, 0, 1, 10);
    info(f, 2, 1, 2, 20);
    info(f, 3, 2, 3, 30);
    code(f, 1, "_run", "<frozen runpy>");
    code(f, 2, "main", "/opt/x/lib/python3.11/site-packages/tool/__main__.py");
    code(f, 3, "run", "/opt/x/lib/python3.11/threading.py");
    assert_int_equal(
        f->model->paths[pinsight_path_users_line(f->model, pinsight_path_of(f->process, 3))].line,
        20);
}

static void whose_file(void **state) {
    (void)state;
    FOR_TEXTS (file, "/home/me/solver.py", "solver.py", "<string>", "<ipython-input-3-abc>",
               "/home/me/lib/python-tools/x.py", "/srv/python3/app.py")
        assert_true(pinsight_users_file(NULL, file));
    FOR_TEXTS (file, "", "<frozen importlib._bootstrap>", "<__array_function__ internals>",
               "/usr/lib/python3.11/runpy.py", "/usr/lib64/python3.9/runpy.py",
               "/opt/lib/python3.13t/runpy.py", "/opt/lib/python311.zip/runpy.py",
               "/usr/lib/python3/dist-packages/numpy/a.py",
               "/home/me/.venv/lib/python3.8/site-packages/x.py")
        assert_false(pinsight_users_file(NULL, file));
}

/* Parents that go round in a circle. */
static void circular_paths(void **state) {
    struct fixture *f = *state;
    size_t count;

    info(f, 1, 2, 1, 10);
    info(f, 2, 1, 1, 20);
    info(f, 3, 3, 1, 20);
    code(f, 1, "f", "/usr/lib/python3.11/x.py");
    free(pinsight_path_frames(f->model, pinsight_path_of(f->process, 1), &count));
    assert_int_equal(count, PINSIGHT_PATH_DEEPEST);
    assert_int_not_equal(pinsight_path_users_line(f->model, pinsight_path_of(f->process, 3)),
                         PINSIGHT_NONE);
}

static void natives(void **state) {
    struct fixture *f = *state;
    struct pinsight_process *other = pinsight_model_process(f->model, 0, 200);
    uint32_t early = pinsight_native_at(f->process, 0x5010), one, again;

    pinsight_native_info(f->process, READER_OPENMP, 1, 0x5010, "/lib/a.so", 0x10, "f");
    assert_int_equal(pinsight_native_at(f->process, 0x5010), early);
    assert_true(f->model->natives[early].known);
    assert_int_equal(pinsight_native_numbered(f->process, READER_OPENMP, 1), early);
    assert_int_equal(pinsight_native_numbered(f->process, READER_OPENMP, 2), PINSIGHT_NONE);
    /* The same place elsewhere. */
    pinsight_native_info(other, READER_OPENMP, 7, 0x9010, "/lib/a.so", 0x10, "f");
    assert_int_equal(pinsight_native_at(other, 0x9010), early);
    /* Another object at that address. */
    pinsight_native_info(f->process, READER_OPENMP, 2, 0x5010, "/lib/b.so", 0x10, "g");
    one = pinsight_native_at(f->process, 0x5010);
    assert_int_not_equal(one, early);
    /* Told again after a rotation, also where no object is known. */
    pinsight_native_info(f->process, READER_OPENMP, 3, 0x6000, "", 0, "");
    again = pinsight_native_at(f->process, 0x6000);
    pinsight_native_info(f->process, READER_OPENMP, 3, 0x6000, "", 0, "");
    assert_int_equal(pinsight_native_at(f->process, 0x6000), again);
}

/* A thread that OpenMP knew before Python did keeps what it is in. */
static void python_comes_later(void **state) {
    struct fixture *f = *state;
    struct pinsight_thread *thread = pinsight_model_thread_by_tid(f->model, 0, 777, f->process);
    struct pinsight_omp_thread *openmp = pinsight_omp_thread_of(thread, f->process);

    pinsight_omp_region_begin(openmp, 1, 1, PINSIGHT_NONE, PINSIGHT_NONE, PINSIGHT_OMP_PARALLEL,
                              1000);
    thread = pinsight_model_thread_info(f->model, f->process, 777, 4, "worker", 1010);
    assert_ptr_equal(pinsight_thread_openmp(thread), openmp);
    assert_ptr_equal(openmp->thread, thread);
    pinsight_omp_region_end(pinsight_thread_openmp(thread), 1, 1030);
    assert_int_equal(first(f)->total_ns, 30);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, imbalance, simultaneous, imbalance_of_an_older_runtime,
                          a_part_ends_with_the_next, a_part_ends_with_the_next_and_not_the_region,
                          a_part_ends_with_the_next_in_an_older_runtime, barriers_within,
                          tasks_in_a_barrier, mutexes, nested, within_python, damaged,
                          one_thread_is_shown, paths, users_line_where_all_is_library, whose_file,
                          circular_paths, natives, python_comes_later);
}
