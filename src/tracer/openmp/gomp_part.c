/*
 * The threads' parts of regions of GCC's OpenMP. libgomp gets pinsight_gomp_part() in place of the
 * function that the compiler outlined from the region.
 */
#include "tracer/openmp/gomp.h"

/* Returns the state of the calling thread, which is a member of a team, and makes it if there is
 * none. */
static inline struct pinsight_ompt_thread *member(void) {
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

/* Restores the state of a thread before the part that it was in last. */
static inline void restore(struct pinsight_ompt_thread *thread, struct pinsight_gomp_left *left) {
    left->is_open = false;
    thread->gomp.task = left->outer_task;
    *thread->gomp.current = left->runtime;
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
    restore(thread, left);
}

void pinsight_gomp_part_left_with(struct pinsight_ompt_thread *thread,
                                  const struct pinsight_ompt_region *region) {
    struct pinsight_gomp_left *left = &thread->gomp.left;
    if (left->is_open && left->has_barrier &&
        pinsight_omp_leaves_with_region(thread, left->task, region)) {
        restore(thread, left);
        return;
    }
    pinsight_gomp_part_left(thread);
    pinsight_omp_end_with_region(thread, region);
}

/* Begins the thread's task in the region. */
static inline uint64_t begin_task(struct pinsight_ompt_thread *thread, const void *handle, int size,
                                  int index) {
    struct pinsight_gomp_left *left = &thread->gomp.left;
    const struct pinsight_ompt_region *region = pinsight_omp_region_of(handle);
    if (left->is_open) {
        uint64_t task = left->has_barrier && !region->is_league
                            ? pinsight_omp_leaves_for_next(thread, left->task, handle,
                                                           (uint32_t)size, (uint32_t)index)
                            : 0;
        if (__builtin_expect(task != 0, 1)) {
            restore(thread, left);
            return task;
        }
        pinsight_gomp_part_left(thread);
    }
    return pinsight_omp_task_begins(thread, handle, (uint32_t)size, (uint32_t)index,
                                    region->is_league ? ompt_task_initial : ompt_task_implicit);
}

/* Begins the part. Saves the state of the thread before it in `before`. */
PINSIGHT_ALWAYS_INLINE bool begin(const void *handle, struct pinsight_gomp_left *before) {
    const struct pinsight_ompt_region *region = pinsight_omp_region_of(handle);
    const struct pinsight_gomp_runtime *runtime = region->runtime;
    struct pinsight_ompt_thread *thread = member();
    if (!thread)
        return false;
    int size = 1, index = 0;
    if (region->is_league) {
        size = runtime->get_num_teams ? runtime->get_num_teams() : 1;
        index = runtime->get_team_num ? runtime->get_team_num() : 0;
    } else {
        size = runtime->get_num_threads ? runtime->get_num_threads() : 1;
        /* The thread that started the region has the number 0 in the team. */
        index =
            region != thread->regions && runtime->get_thread_num ? runtime->get_thread_num() : 0;
    }
    uint64_t task = begin_task(thread, handle, size, index);
    before->is_open = true;
    before->has_barrier = !region->is_league && size > 1;
    before->task = task;
    before->outer_task = thread->gomp.task;
    before->runtime = *thread->gomp.current;
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
PINSIGHT_ALWAYS_INLINE void end(const struct pinsight_ompt_region *region,
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
    if (before->has_barrier)
        pinsight_omp_arrives(thread);
    else
        pinsight_gomp_part_left(thread);
}

bool pinsight_gomp_part_begin(const void *handle, struct pinsight_gomp_left *before) {
    return begin(handle, before);
}

void pinsight_gomp_part_end(const struct pinsight_ompt_region *region,
                            const struct pinsight_gomp_left *before) {
    end(region, before);
}

void pinsight_gomp_part(void *handle) {
    const struct pinsight_ompt_region *region = pinsight_omp_region_of(handle);
    struct pinsight_gomp_left before;
    bool begun = begin(handle, &before);
    region->function(region->data);
    if (begun)
        end(region, &before);
}
