/* The state of a thread in the OpenMP domain; see thread.h. */
#include "tracer/openmp/thread.h"

#include "tracer/openmp/gomp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDS 1024 /* numbers that a thread takes at a time */

static _Atomic bool forked; /* true in a forked child until its first thread has state */

static _Atomic uint32_t next_number;
static _Atomic uint64_t next_ids = 1;

/* Regions of threads that have ended. */
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_ompt_region *store;

uint64_t pinsight_omp_ids(struct pinsight_ompt_thread *thread) {
    thread->next_id = atomic_fetch_add(&next_ids, IDS);
    thread->end_id = thread->next_id + IDS;
    return thread->next_id++;
}

void pinsight_omp_renumber(struct pinsight_ompt_region *region) {
    uint64_t first = atomic_fetch_add(&next_ids, PINSIGHT_OMP_REGION_BYTES);
    region->parallel_id = region->first_id = first;
    region->end_id = first + PINSIGHT_OMP_REGION_BYTES;
}

/* Adds contexts for tasks whose begins were not observed. Events in their regions are not recorded,
 * because nothing is known about the regions. At the ends of such tasks, the number is 0
 * (OpenMP 5.1, 4.6.15, ompt_get_task_info). */
static void push_unseen(struct pinsight_ompt_thread *thread) {
    int levels = 0, flags = 0;
    if (!pinsight_omp_task_info)
        return;
    while (pinsight_omp_task_info(levels, NULL, NULL, NULL, NULL, NULL) == 2)
        levels++;
    while (levels-- > 0) {
        ompt_data_t *data = NULL;
        int index = 0;
        if (pinsight_omp_task_info(levels, &flags, &data, NULL, NULL, &index) != 2 ||
            !(flags & ompt_task_implicit) || (data && data->value))
            continue;
        struct pinsight_omp_context *context = pinsight_omp_push(thread);
        if (!context)
            return;
        context->thread_num = (uint32_t)index;
    }
}

/* Returns whether this is the thread that forked, in the child, and it has no state yet. */
static bool is_first_of_child(void) {
    return atomic_load(&forked) && gettid() == (pid_t)pinsight_process.pid;
}

struct pinsight_ompt_thread *pinsight_omp_thread_new(bool begins) {
    /* libomp 19 reports the begins of a child's thread and task within fork(), while the recorder
     * still is the parent's. They are recorded at the thread's next event. */
    if (begins && is_first_of_child())
        return NULL;
    struct pinsight_core_thread *core = pinsight_thread_get();
    struct pinsight_ompt_thread *thread = core ? pinsight_lines_new(sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    thread->native.engine.core = core;
    thread->type = ompt_thread_unknown;
    thread->outside_all.initial = thread->outside_all.live = true;
    thread->top = &thread->outside_all;
    thread->number = atomic_fetch_add(&next_number, 1);
    pinsight_thread_set_domain(core, pinsight_openmp_domain.slot, thread);
    if (is_first_of_child()) {
        /* The runtime continues with the thread that forked. It reports the ends, but libomp 14
         * reports no begins. */
        atomic_store(&forked, false);
        pinsight_omp_begin_child(thread);
    }
    if (!begins)
        push_unseen(thread);
    pinsight_native_thread_seen(&pinsight_omp_native, &thread->native, thread->number);
    return thread;
}

struct pinsight_ompt_region *pinsight_omp_region_slow(void) {
    pthread_mutex_lock(&store_lock);
    struct pinsight_ompt_region *region = store;
    if (region)
        store = region->outer;
    pthread_mutex_unlock(&store_lock);
    if (!region && (region = aligned_alloc(_Alignof(struct pinsight_ompt_region), sizeof *region)))
        memset(region, 0, sizeof *region);
    if (region)
        region->end_id = 0; /* its numbers may be another process's, too */
    return region;
}

struct pinsight_omp_open *pinsight_omp_open_slow(struct pinsight_ompt_thread *thread) {
    uint32_t room = thread->open_room ? 2 * thread->open_room : 16;
    struct pinsight_omp_open *grown = realloc(thread->opens, room * sizeof *grown);
    if (!grown)
        return NULL;
    thread->opens = grown;
    thread->open_room = room;
    return &thread->opens[thread->open_count++];
}

bool pinsight_omp_close_slow(struct pinsight_ompt_thread *thread, unsigned kind, uint64_t key,
                             struct pinsight_omp_open *found) {
    uint32_t base = pinsight_omp_here(thread)->opens;
    for (uint32_t i = thread->open_count; i-- > base;) {
        struct pinsight_omp_open *open = &thread->opens[i];
        if (open->kind != kind || (key && open->key != key))
            continue;
        *found = *open;
        thread->open_count--;
        memmove(open, open + 1, (thread->open_count - i) * sizeof *open);
        return true;
    }
    return false;
}

bool pinsight_omp_wanted_slow(struct pinsight_ompt_thread *thread, bool may_wait) {
    if (pinsight_is_paused(&pinsight_openmp_domain)) {
        if (!may_wait)
            return pinsight_domain_mode(&pinsight_openmp_domain) == PINSIGHT_MODE_TRACING;
        pinsight_native_wait(&pinsight_omp_native, &thread->native);
    }
    return pinsight_domain_mode(&pinsight_openmp_domain) == PINSIGHT_MODE_TRACING;
}

void pinsight_omp_close_opens(struct pinsight_ompt_thread *thread) {
    while (thread->open_count > pinsight_omp_here(thread)->opens) {
        struct pinsight_omp_open open = thread->opens[--thread->open_count];
        if (open.kind == PINSIGHT_OPENMP_KIND_MUTEX)
            continue; /* a thread may own a lock for longer than a task lasts */
        /* GCC's programs never report the end of a single construct. */
        pinsight_add(&thread->native.engine.lost_frames,
                     open.kind != PINSIGHT_OPENMP_KIND_WORK ||
                         open.type != ompt_work_single_executor);
        pinsight_omp_end_open(thread, &open);
    }
}

void pinsight_omp_close_lost(struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_context *context) {
    while (thread->top != context && thread->top != &thread->outside_all) {
        pinsight_omp_close_opens(thread);
        pinsight_add(&thread->native.engine.lost_frames,
                     thread->top->recorded && !thread->top->initial);
        pinsight_omp_end_context(thread);
    }
}

void pinsight_omp_thread_end(struct pinsight_core_thread *core, void *state) {
    struct pinsight_ompt_thread *thread = state;
    (void)core;
    if (thread->gomp.is_reported)
        pinsight_gomp_thread_ends(thread);
    pinsight_omp_close_lost(thread, &thread->outside_all);
    pinsight_omp_close_opens(thread);
    pinsight_omp_record_ended(thread);
    while (thread->regions)
        pinsight_omp_end_region(thread, thread->regions);
    if (thread->recorded)
        PINSIGHT_OMP_RECORD(thread, thread_end, thread->number, thread->type);
    thread->recorded = false;
    pinsight_engine_thread_end(&pinsight_omp_native.engine, &thread->native.engine);
    pthread_mutex_lock(&store_lock);
    for (unsigned i = 0; i < PINSIGHT_OMP_FREE; i++)
        for (struct pinsight_ompt_region *region; (region = thread->free[i]);) {
            thread->free[i] = region->outer;
            region->outer = store;
            store = region;
        }
    pthread_mutex_unlock(&store_lock);
}

void pinsight_omp_thread_free(void *state) {
    struct pinsight_ompt_thread *thread = state;
    for (struct pinsight_omp_context *context = thread->top, *below;
         context != &thread->outside_all; context = below) {
        below = context->below;
        free(context);
    }
    for (struct pinsight_omp_context *context = thread->spare, *below; context; context = below) {
        below = context->below;
        free(context);
    }
    free(thread->opens);
    free(thread);
}

void pinsight_omp_thread_fork_child(void) {
    store_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    store = NULL; /* another thread of the parent may have been changing the list */
    atomic_store(&next_number, 0);
    atomic_store(&forked, true);
}
