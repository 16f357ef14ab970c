/*
 * The threads' parts of regions of GCC's OpenMP. libgomp gets pinsight_gomp_part() in place of the
 * function that the compiler outlined from the region.
 */
#include "tracer/openmp/gomp.h"

/* Returns the state of the calling thread, which is a member of a team, and makes it if there is
 * none. */
static struct pinsight_ompt_thread *member(void) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_begins();
    if (!thread)
        return NULL;
    if (!thread->gomp.is_reported) {
        ompt_data_t data = ompt_data_none;
        thread->gomp.is_reported = true;
        thread->gomp.current = pinsight_gomp_shim->current();
        pinsight_omp_on_thread_begin(ompt_thread_worker, &data);
    }
    return thread;
}

void pinsight_gomp_part_left(struct pinsight_ompt_thread *thread) {
    struct pinsight_gomp_left *left = &thread->gomp.left;
    const ompt_data_t task = {.value = left->task};
    if (!left->is_open)
        return;
    left->is_open = false;
    if (left->has_barrier)
        pinsight_omp_leaves(thread, left->task);
    else
        pinsight_omp_task_ends(thread, &task);
    thread->gomp.task = left->outer_task;
    *thread->gomp.current = left->runtime;
}

/* Begins the part. Saves the state of the thread before it in `before`. */
bool pinsight_gomp_part_begin(struct pinsight_ompt_region *region,
                              struct pinsight_gomp_left *before) {
    const struct pinsight_gomp_runtime *runtime = region->runtime;
    struct pinsight_ompt_thread *thread = member();
    if (!thread)
        return false;
    pinsight_gomp_part_left(thread);
    int size = 1, index = 0;
    if (region->is_league) {
        size = runtime->get_num_teams ? runtime->get_num_teams() : 1;
        index = runtime->get_team_num ? runtime->get_team_num() : 0;
    } else {
        size = runtime->get_num_threads ? runtime->get_num_threads() : 1;
        index = runtime->get_thread_num ? runtime->get_thread_num() : 0;
    }
    uint64_t task =
        pinsight_omp_task_begins(thread, region, (uint32_t)size, (uint32_t)index,
                                 region->is_league ? ompt_task_initial : ompt_task_implicit);
    *before = (struct pinsight_gomp_left){.has_barrier = !region->is_league && size > 1,
                                          .task = task,
                                          .outer_task = thread->gomp.task,
                                          .runtime = *thread->gomp.current};
    thread->gomp.task = task;
    *thread->gomp.current = runtime;
    if (region->work) {
        ompt_data_t data = {.value = task};
        pinsight_omp_on_work(region->work, ompt_scope_begin, NULL, &data, region->work_count,
                             pinsight_gomp_code(region->function));
    }
    return true;
}

/* Called when the outlined function has returned, and the thread comes to the barrier at the
 * region's end. */
void pinsight_gomp_part_end(const struct pinsight_ompt_region *region,
                            const struct pinsight_gomp_left *before) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread || region->process != (uint32_t)pinsight_process.pid)
        return;
    struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (here->counted.node && here->task_id == before->task >> 2) {
        /* For a worker, this may be the last part, and libgomp does not report its end. */
        pinsight_count_end(&thread->native.engine, &here->counted, pinsight_clock_ticks());
        here->counted.node = NULL;
    }
    thread->gomp.left = *before;
    thread->gomp.left.is_open = true;
    if (before->has_barrier)
        pinsight_omp_arrives(thread);
    else
        pinsight_gomp_part_left(thread);
}

void pinsight_gomp_part(void *data) {
    struct pinsight_ompt_region *region = data;
    struct pinsight_gomp_left before;
    bool begun = pinsight_gomp_part_begin(region, &before);
    region->function(region->data);
    if (begun)
        pinsight_gomp_part_end(region, &before);
}
