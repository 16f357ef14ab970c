/*
 * GCC's OpenMP: the parts that threads have of regions. libgomp is given pinsight_gomp_part() in
 * place of the function that the compiler made of the region.
 */
#include "domains/openmp/gomp.h"

static bool is_of_this_process(const struct pinsight_gomp_job *job) {
    return job->process == (uint32_t)pinsight_process.pid;
}

/* The state of a thread that is a member of a team. */
static struct pinsight_ompt_thread *member(void) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_begins();
    if (!thread)
        return NULL;
    if (!thread->gomp.is_met) {
        ompt_data_t data = ompt_data_none;
        thread->gomp.is_met = true;
        thread->gomp.current = pinsight_gomp_shim->current();
        pinsight_omp_on_thread_begin(ompt_thread_worker, &data);
    }
    return thread;
}

void pinsight_gomp_part_left(struct pinsight_ompt_thread *thread) {
    struct pinsight_gomp_left *left = &thread->gomp.left;
    ompt_data_t task = {.value = left->task};
    if (!left->is_open)
        return;
    left->is_open = false;
    if (left->has_barrier) {
        pinsight_omp_on_sync_region_wait(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end,
                                         NULL, &task, NULL);
        pinsight_omp_on_sync_region(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end,
                                    NULL, &task, NULL);
    }
    pinsight_omp_on_implicit_task(ompt_scope_end, NULL, &task, 0, left->number, ompt_task_implicit);
    thread->gomp.task = left->outer_task;
    *thread->gomp.current = left->runtime;
}

/* Begins the part; what it began in is in `before`. */
bool pinsight_gomp_part_begin(struct pinsight_gomp_job *job, struct pinsight_gomp_left *before) {
    struct pinsight_ompt_thread *thread = member();
    const struct pinsight_gomp_runtime *runtime = job->runtime;
    if (!thread)
        return false;
    pinsight_gomp_part_left(thread);
    int size = 1, index = 0;
    if (job->is_league) {
        size = runtime->get_num_teams ? runtime->get_num_teams() : 1;
        index = runtime->get_team_num ? runtime->get_team_num() : 0;
    } else {
        size = runtime->get_num_threads ? runtime->get_num_threads() : 1;
        index = runtime->get_thread_num ? runtime->get_thread_num() : 0;
    }
    ompt_data_t task = ompt_data_none;
    pinsight_omp_on_implicit_task(ompt_scope_begin, &job->parallel, &task, (unsigned)size,
                                  (unsigned)index,
                                  job->is_league ? ompt_task_initial : ompt_task_implicit);
    *before = (struct pinsight_gomp_left){.has_barrier = !job->is_league && size > 1,
                                          .task = task.value,
                                          .outer_task = thread->gomp.task,
                                          .runtime = *thread->gomp.current,
                                          .number = (uint32_t)index};
    thread->gomp.task = task.value;
    *thread->gomp.current = runtime;
    if (job->work)
        pinsight_omp_on_work(job->work, ompt_scope_begin, &job->parallel, &task, job->count,
                             pinsight_gomp_code(job->function));
    return true;
}

/* The function has returned: the thread comes to the barrier at the region's end. */
void pinsight_gomp_part_end(struct pinsight_gomp_job *job,
                            const struct pinsight_gomp_left *before) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    ompt_data_t task = {.value = before->task};
    if (!thread || !is_of_this_process(job))
        return;
    struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (here->counted.node && here->task_id == pinsight_omp_task_id(&task)) {
        /* Of a worker: it may be its last part, whose end nobody tells. */
        pinsight_count_end(&thread->native.engine, &here->counted, pinsight_clock_ticks());
        here->counted.node = NULL;
    }
    thread->gomp.left = *before;
    thread->gomp.left.is_open = true;
    if (before->has_barrier) {
        pinsight_omp_on_sync_region(ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin,
                                    &job->parallel, &task, NULL);
        pinsight_omp_on_sync_region_wait(ompt_sync_region_barrier_implicit_parallel,
                                         ompt_scope_begin, &job->parallel, &task, NULL);
    } else {
        pinsight_gomp_part_left(thread);
    }
}

void pinsight_gomp_part(void *data) {
    struct pinsight_gomp_job *job = data;
    struct pinsight_gomp_left before;
    bool begun = pinsight_gomp_part_begin(job, &before);
    job->function(job->data);
    if (begun)
        pinsight_gomp_part_end(job, &before);
}
