/* The timeline: slices as a view is told them, for what happens and for anything that may. */
#include "unit.h"

#include "made_model.h"
#include "mpi_ranks.h"
#include "reader/kit/native.h"
#include "reader/mpi/mpi.h"
#include "reader/openmp/openmp.h"
#include "reader/timeline.h"
#include "told.h"

#define IMPLICIT PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER
struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_thread *threads[3];
    struct told told;
};

static void on_instant(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    tell(data, "%u '%s'@%d ", track->number, name, (int)ns);
}

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));

    f->model = made_model();
    f->process = pinsight_model_process(f->model, 0, 100);
    seen_listen(&f->told, f->model);
    f->told.timeline.instant = on_instant;
    for (uint32_t i = 0; i < 3; i++)
        f->threads[i] = pinsight_model_thread(f->process, i < 2 ? (int64_t)i : -1, 100 + i);
    pinsight_openmp_of(f->model);
    for (char name = 'a'; name <= 'z'; name++)
        pinsight_strings_add(&f->model->strings, &name, 1);
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    if (f->model)
        pinsight_model_free(f->model);
    free(f);
    return 0;
}

static void function(struct fixture *f, int thread, uint32_t id, bool begin, uint64_t ns) {
    if (id >= f->model->function_count) {
        f->model->functions = realloc(f->model->functions, 64 * sizeof(*f->model->functions));
        memset(f->model->functions, 0, 64 * sizeof(*f->model->functions));
        f->model->function_capacity = f->model->function_count = 64;
    }
    (begin ? pinsight_model_begin : pinsight_model_end)(f->threads[thread], PINSIGHT_FUNCTION, id,
                                                        0, ns);
}

/* "+1@10 -1@20": function 1 begins at 10 and ends at 20. */
static void functions(struct fixture *f, int thread, const char *script) {
    char sign;
    unsigned id, ns;

    for (int used; sscanf(script, " %c%u@%u%n", &sign, &id, &ns, &used) == 3; script += used)
        function(f, thread, id, sign == '+', ns);
}

static struct pinsight_omp_thread *omp(struct fixture *f, int thread) {
    return pinsight_omp_thread_of(f->threads[thread], f->process);
}

static void region(struct fixture *f, uint64_t id, uint64_t ns) {
    pinsight_omp_region_begin(omp(f, 0), id, 1, pinsight_native_at(f->process, 0x10), PINSIGHT_NONE,
                              PINSIGHT_OMP_PARALLEL, ns);
}

static void functions_are_nested(void **state) {
    struct fixture *f = *state;

    functions(f, 0, "+1@10 +2@20 -2@30 -1@40");
    seen_is(&f->told, "1 +f1@10 1 +f2@20 1 -f2@30 1 -f1@40 ");
}

/* What the model closes because another's end came has no end of its own: its time is the other's.
 */
static void a_lost_end_is_told(void **state) {
    struct fixture *f = *state;

    functions(f, 0, "+1@10 +2@20 +3@25 -1@40 -2@50");
    seen_is(&f->told, "1 +f1@10 1 +f2@20 1 +f3@25 1 -f3@40 1 -f2@40 1 -f1@40 ");
}

static void a_region_and_its_team(void **state) {
    struct fixture *f = *state;

    functions(f, 0, "+1@5");
    region(f, 7, 10);
    pinsight_omp_part_begin(omp(f, 0), 7, 70, 0, 2, 11);
    pinsight_omp_part_begin(omp(f, 2), 7, 71, 1, 2, 12);
    pinsight_omp_sync(omp(f, 0), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, true, 20);
    pinsight_omp_sync(omp(f, 2), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, true, 25);
    pinsight_omp_sync(omp(f, 0), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, false, 26);
    pinsight_omp_part_end(omp(f, 0), 7, 27);
    pinsight_omp_region_end(omp(f, 0), 7, 30);
    /* The worker is told to leave when the next region begins. */
    pinsight_omp_sync(omp(f, 2), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, false, 90);
    pinsight_omp_part_end(omp(f, 2), 7, 91);
    functions(f, 0, "-1@100");
    seen_is(&f->told, "1 +f1@5 1 +region0@10>1 1 +part0@11 1=2>2@10-12 2 +part0@12<2 "
                      "1 +wait0@20 2 +wait0@25 1 -wait0@26 1 -part0@27 "
                      "2 -wait0@30! 2 -part0@30 1 -region0@30 1 -f1@100 ");
}

/* A task that runs while another one waits, and waits itself. */
static void tasks_in_waits(void **state) {
    struct fixture *f = *state;
    enum { COMPLETE = 1, SWITCH = 7 };

    region(f, 7, 10);
    pinsight_omp_part_begin(omp(f, 0), 7, 70, 0, 1, 11);
    pinsight_omp_sync(omp(f, 0), 7, PINSIGHT_OMP_WAIT_TASKWAIT, 0, true, 12);
    pinsight_omp_task_switch(omp(f, 0), 7, 70, 80, SWITCH, 13);
    pinsight_omp_sync(omp(f, 0), 7, PINSIGHT_OMP_WAIT_TASKWAIT, 0, true, 14);
    pinsight_omp_sync(omp(f, 0), 7, PINSIGHT_OMP_WAIT_TASKWAIT, 0, false, 15);
    pinsight_omp_task_switch(omp(f, 0), 7, 80, 70, COMPLETE, 16);
    pinsight_omp_sync(omp(f, 0), 7, PINSIGHT_OMP_WAIT_TASKWAIT, 0, false, 17);
    pinsight_omp_part_end(omp(f, 0), 7, 18);
    pinsight_omp_region_end(omp(f, 0), 7, 19);
    seen_is(&f->told,
            "1 +region0@10>1 1 +part0@11 1 +wait2@12 1 +task-1@13 1 +wait2@14 1 -wait2@15 "
            "1 -task-1@16 1 -wait2@17 1 -part0@18 1 -region0@19 ");
}

/* A lock that the thread has already: nothing says that it has it once more but the next event. */
static void a_nest_lock(void **state) {
    struct fixture *f = *state;

    region(f, 7, 10);
    pinsight_omp_part_begin(omp(f, 0), 7, 70, 0, 1, 11);
    pinsight_omp_acquire(omp(f, 0), 7, PINSIGHT_OMP_WAIT_LOCK, 12);
    pinsight_omp_acquired(omp(f, 0), 7, PINSIGHT_OMP_WAIT_LOCK, 13);
    pinsight_omp_acquire(omp(f, 0), 7, PINSIGHT_OMP_WAIT_LOCK, 14);
    pinsight_omp_other(omp(f, 0), 7, 15);
    pinsight_omp_part_end(omp(f, 0), 7, 18);
    pinsight_omp_region_end(omp(f, 0), 7, 19);
    seen_is(&f->told, "1 +region0@10>1 1 +part0@11 1 +wait4@12 1 -wait4@13 1 +wait4@14 1 -wait4@15 "
                      "1 -part0@18 1 -region0@19 ");
}

/* Python that native code calls back, and that is left without its end: the region's end closes it,
 * and its own late one closes nothing else. */
static void python_in_a_region(void **state) {
    struct fixture *f = *state;

    functions(f, 0, "+1@5");
    region(f, 7, 10);
    functions(f, 0, "+2@12");
    pinsight_omp_region_end(omp(f, 0), 7, 20);
    functions(f, 0, "-2@25 -1@30");
    seen_is(&f->told, "1 +f1@5 1 +region0@10>1 1 +f2@12 1 -f2@20! 1 -region0@20 1 -f1@30 ");
}

/* A region with a part in thread 2, which has no Python, until 40; at 15 thread 2 becomes number 5.
 */
static void numbered_in_a_region(struct fixture *f) {
    struct pinsight_thread *worker = pinsight_model_thread_by_tid(f->model, 0, 102, f->process);

    assert_ptr_equal(worker, f->threads[2]);
    region(f, 7, 10);
    pinsight_omp_part_begin(omp(f, 2), 7, 71, 1, 2, 12);
    f->threads[2] = pinsight_model_thread_info(f->model, f->process, 102, 5, "worker", 15);
    assert_int_equal(f->threads[2]->number, 5);
    assert_ptr_equal(pinsight_model_thread_by_tid(f->model, 0, 102, f->process), f->threads[2]);
    functions(f, 2, "+1@16 -1@20");
    pinsight_omp_sync(omp(f, 2), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, true, 25);
    pinsight_omp_region_end(omp(f, 0), 7, 40);
    pinsight_omp_part_end(omp(f, 2), 7, 91);
    f->process->last_ns = 500;
    pinsight_model_finish(f->model);
}

/* Native code of a team calls Python back: it is in the thread's part, which ends with its region.
 */
static void a_team_thread_runs_python(void **state) {
    struct fixture *f = *state;
    struct pinsight_thread *before = f->threads[2];

    numbered_in_a_region(f);
    assert_ptr_equal(f->threads[2], before);
    assert_int_equal(f->process->thread_count, 3);
    assert_ptr_equal(pinsight_model_thread(f->process, 5, 0), before);
    seen_is(&f->told, "1 +region0@10>1 1=2>2@10-12 2 +part0@12<2 2 +f1@16 2 -f1@20 2 +wait0@25 "
                      "2 -wait0@40! 2 -part0@40 1 -region0@40 ");
}

/* The number had events before, by which nobody knew whose it is: there are two tracks, and the
 * part goes on in that of the number. */
static void a_team_thread_that_has_run_python(void **state) {
    struct fixture *f = *state;

    f->threads[1] = pinsight_model_thread(f->process, 5, 0);
    functions(f, 1, "+2@2 -2@3");
    numbered_in_a_region(f);
    assert_int_equal(f->process->thread_count, 4);
    seen_is(&f->told,
            "1 +f2@2 1 -f2@3 2 +region0@10>1 2=2>3@10-12 3 +part0@12<2 1 +part0@15 3 -part0@15! "
            "1 +f1@16 1 -f1@20 1 +wait0@25 1 -wait0@40! 1 -part0@40 2 -region0@40 ");
}

/* The system gave a thread's id to another one. */
static void a_thread_that_is_over(void **state) {
    struct fixture *f = *state;
    struct pinsight_thread *thread, *before = f->threads[2];

    pinsight_model_thread_by_tid(f->model, 0, 102, f->process);
    pinsight_omp_part_begin(omp(f, 2), 7, 71, 1, 2, 12);
    pinsight_openmp_close(before, 20);
    pinsight_thread_openmp(before)->over = true;
    thread = pinsight_model_thread_info(f->model, f->process, 102, 5, "another", 30);
    assert_ptr_not_equal(thread, before);
    assert_null(pinsight_thread_openmp(thread));
    assert_int_equal(before->number, -1);
}

static void a_message(void **state) {
    struct fixture *f = *state;
    struct mpi_ranks ranks = {.model = f->model};
    struct pinsight_mpi_call call = {.path = PINSIGHT_NONE,
                                     .native = PINSIGHT_NONE,
                                     .comm = PINSIGHT_MPI_WORLD,
                                     .dest = PINSIGHT_MPI_PROC_NULL,
                                     .source = PINSIGHT_MPI_PROC_NULL,
                                     .root = PINSIGHT_MPI_PROC_NULL,
                                     .tag = 3};
    struct pinsight_mpi_result result = {0};

    mpi_ranks_join(&ranks, 2);
    call.function = pinsight_mpi_function(f->model, "MPI_Recv");
    call.rank = 1;
    call.source = 0;
    pinsight_mpi_begin(ranks.ranks[1], &call, 10);
    call.function = pinsight_mpi_function(f->model, "MPI_Send");
    call.rank = 0;
    call.source = PINSIGHT_MPI_PROC_NULL;
    call.dest = 1;
    call.bytes = 8;
    pinsight_mpi_begin(ranks.ranks[0], &call, 20);
    pinsight_mpi_end(ranks.ranks[0], call.function, &result, 21);
    result = (struct pinsight_mpi_result){.has_status = true, .source = 0, .tag = 3, .bytes = 8};
    pinsight_mpi_end(ranks.ranks[1], pinsight_mpi_function(f->model, "MPI_Recv"), &result, 30);
    seen_is(&f->told, "1 +mpi0@10 2 +mpi1@20>1 2 -mpi1@21 2=1>1@20-30 1 -mpi0@30 ");
}

static void marks_and_time_that_runs_back(void **state) {
    struct fixture *f = *state;

    functions(f, 0, "+1@50");
    pinsight_track_instant(f->threads[0], "here", 40);
    functions(f, 0, "+2@45 -2@47");
    seen_is(&f->told, "1 +f1@50 1 'here'@50 1 +f2@50 1 -f2@50 ");
}

static void what_is_open_ends_with_the_trace(void **state) {
    struct fixture *f = *state;

    functions(f, 0, "+1@10");
    region(f, 7, 20);
    pinsight_omp_part_begin(omp(f, 0), 7, 70, 0, 2, 21);
    pinsight_model_touch(f->process, 40);
    pinsight_model_finish(f->model);
    seen_is(&f->told,
            "1 +f1@10 1 +region0@20>1 1 +part0@21 1 -part0@40! 1 -region0@40! 1 -f1@40! ");
}

/* A view is told of nothing that was not selected, and a model without one of nothing at all. */
static void threads_that_nobody_wants(void **state) {
    struct fixture *f = *state;

    f->threads[1]->selected = false;
    functions(f, 1, "+1@10 -1@20");
    seen_is(&f->told, "");
    f->model->timeline = NULL;
    functions(f, 0, "+1@10 -1@20");
    seen_is(&f->told, "");
}

/* Anything, in any order: what is told stays nested, and all that begins ends. The callbacks check
 * the rest. */
static void anything_is_told_nested(void **state) {
    struct fixture *f = *state;

    f->told.quiet = true;
    srand(7);
    for (int turn = 0; turn < 200000; turn++) {
        uint64_t ns = (uint64_t)(turn + rand() % 20);
        int thread = rand() % 3;
        uint64_t id = 1 + (uint64_t)(rand() % 4);
        bool begin = rand() % 2;

        switch (rand() % 8) {
        case 0:
        case 1:
        case 2:
            function(f, thread, 1 + (uint32_t)(rand() % 5), begin, ns);
            break;
        case 3:
            if (begin)
                pinsight_omp_region_begin(omp(f, thread), id, (uint64_t)(rand() % 3),
                                          pinsight_native_at(f->process, 0x10), PINSIGHT_NONE,
                                          PINSIGHT_OMP_PARALLEL, ns);
            else
                pinsight_omp_region_end(omp(f, thread), id, ns);
            break;
        case 4:
            part_edge(omp(f, thread), begin, id, (uint32_t)thread, ns);
            break;
        case 5:
            pinsight_omp_sync(omp(f, thread), id, (enum pinsight_omp_wait)(rand() % 3), 0, begin,
                              ns);
            break;
        case 6:
            pinsight_omp_task_switch(omp(f, thread), id, 80 + (uint64_t)(rand() % 3),
                                     80 + (uint64_t)(rand() % 3), (unsigned)(rand() % 9), ns);
            break;
        default:
            if (begin)
                pinsight_omp_acquire(omp(f, thread), id, PINSIGHT_OMP_WAIT_LOCK, ns);
            else
                pinsight_omp_acquired(omp(f, thread), id, PINSIGHT_OMP_WAIT_LOCK, ns);
        }
    }
    assert_true(f->told.begins > 20000 && f->told.flows > 100);
    pinsight_model_finish(f->model);
    assert_int_equal(f->told.begins, f->told.ends);
    for (int i = 0; i < TOLD_TRACKS; i++)
        assert_int_equal(f->told.depth[i], 0);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, functions_are_nested, a_lost_end_is_told,
                          a_region_and_its_team, tasks_in_waits, a_nest_lock, python_in_a_region,
                          a_team_thread_runs_python, a_team_thread_that_has_run_python,
                          a_thread_that_is_over, a_message, marks_and_time_that_runs_back,
                          what_is_open_ends_with_the_trace, threads_that_nobody_wants,
                          anything_is_told_nested);
}
