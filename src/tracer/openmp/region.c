/*
 * Callbacks for threads, parallel regions, and their implicit tasks. OpenMP 5.1, 4.5.2.1 (thread
 * begin and end), 4.5.2.3 and 4.5.2.4 (parallel), 4.5.2.11 (implicit task).
 */
#include "tracer/openmp/domain.h"

#include <string.h>

/* Called when sessions have begun or ceased to listen. */
static void listeners_changed(struct pinsight_ompt_thread *thread) {
    pinsight_native_listeners_changed(&pinsight_omp_native, &thread->native,
                                      pinsight_record_openmp_parallel_begin_enabled());
}

static void begin_thread(struct pinsight_ompt_thread *thread, ompt_thread_t type) {
    thread->type = (uint8_t)type;
    if (!thread->recorded && pinsight_omp_tracing(thread, false) &&
        pinsight_omp_kind_is_on(PINSIGHT_OPENMP_KIND_THREAD)) {
        listeners_changed(thread);
        thread->recorded = true;
        PINSIGHT_OMP_RECORD(thread, thread_begin, thread->number, thread->type);
    }
}

static void thread_begin(ompt_thread_t type, ompt_data_t *data) {
    (void)data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_begins();
    if (thread)
        begin_thread(thread, type);
}

static void thread_end(ompt_data_t *data) {
    (void)data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread)
        return; /* the thread's state was freed before */
    pinsight_omp_close_lost(thread, &thread->outside_all);
    pinsight_omp_record_ended(thread);
    if (thread->recorded)
        PINSIGHT_OMP_RECORD(thread, thread_end, thread->number, thread->type);
    thread->recorded = false;
    pinsight_count_flush_thread(&pinsight_omp_native.engine, thread->native.engine.core);
}

/* Decides whether the region is recorded, or counted, or neither. */
static struct pinsight_decision should_record(struct pinsight_ompt_thread *thread,
                                              struct pinsight_lexgion *lexgion) {
    struct pinsight_decision how = {0};
    enum pinsight_mode mode = pinsight_omp_tracing(thread, true)
                                  ? PINSIGHT_MODE_TRACING
                                  : pinsight_domain_mode(&pinsight_openmp_domain);
    if (mode >= PINSIGHT_MODE_MONITORING)
        how = pinsight_should_record(&pinsight_omp_native.engine, lexgion, mode);
    return how;
}

struct pinsight_ompt_region *pinsight_omp_region_begins(struct pinsight_ompt_thread *thread,
                                                        unsigned requested, int flags,
                                                        const void *codeptr) {
    struct pinsight_ompt_region *region = pinsight_omp_region_new(thread, codeptr);
    if (!region)
        return NULL;
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    pinsight_omp_number(region);
    if (pinsight_record_openmp_parallel_begin_enabled() != thread->native.listened)
        listeners_changed(thread);
    struct pinsight_lexgion *lexgion = pinsight_native_state(
        pinsight_native_lexgion_find(&pinsight_omp_native, &thread->native.cache, codeptr, NULL));
    struct pinsight_decision how = should_record(thread, lexgion);
    if (how.outside)
        pinsight_add(&thread->native.engine.outside, 1);
    PINSIGHT_OMP_SHARE(region->codeptr, (uintptr_t)codeptr);
    PINSIGHT_OMP_SHARE(region->process, (uint32_t)pinsight_process.pid);
    PINSIGHT_OMP_SHARE(region->team, here->team);
    PINSIGHT_OMP_SHARE(region->live, how.traced);
    PINSIGHT_OMP_SHARE(region->counts, how.counted);
    PINSIGHT_OMP_SHARE(region->lexgion, lexgion);
    region->is_open = true;
    region->last = how.last;
    region->counted.node = NULL;
    region->outer = thread->regions;
    region->recorded = how.traced && pinsight_omp_kind_is_on(PINSIGHT_OPENMP_KIND_PARALLEL) &&
                       pinsight_omp_is_in_range(here);
    thread->regions = region;
    if (region->recorded)
        PINSIGHT_OMP_RECORD(thread, parallel_begin, thread->number, here->team, here->thread_num,
                            region->parallel_id, thread->task, region->codeptr, requested,
                            (uint32_t)flags, pinsight_link_here());
    if (how.counted && pinsight_omp_is_in_range(here))
        pinsight_count_begin(&pinsight_omp_native.engine, &thread->native.engine, &region->counted,
                             lexgion, 0);
    return region;
}

static void parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *data,
                           unsigned requested, int flags, const void *codeptr) {
    (void)task_data;
    (void)frame;
    data->ptr = NULL;
    if (pinsight_domain_mode(&pinsight_openmp_domain) < PINSIGHT_MODE_MONITORING)
        return;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_ompt_region *region =
        thread ? pinsight_omp_region_begins(thread, requested, flags, codeptr) : NULL;
    if (region)
        data->ptr = pinsight_omp_handle(region);
}

void pinsight_omp_end_region(struct pinsight_ompt_thread *thread,
                             struct pinsight_ompt_region *region) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (region->counted.node)
        pinsight_count_end(&thread->native.engine, &region->counted, pinsight_clock_ticks());
    if (region->recorded)
        PINSIGHT_OMP_RECORD(thread, parallel_end, thread->number, here->team, here->thread_num,
                            region->parallel_id, thread->task, region->codeptr);
    if (region->last)
        pinsight_lexgion_last_ended(&pinsight_omp_native.engine, region->lexgion);
    thread->regions = region->outer;
    region->is_open = false;
    struct pinsight_ompt_region **list =
        pinsight_omp_free(thread, (const void *)(uintptr_t)region->codeptr);
    region->outer = *list;
    *list = region;
}

void pinsight_omp_region_ends(struct pinsight_ompt_thread *thread,
                              struct pinsight_ompt_region *region) {
    struct pinsight_ompt_region *at = thread->regions;
    while (at && at != region)
        at = at->outer;
    /* libomp 14 may pass the data of another team if regions are nested. The innermost region of
     * this thread ends. */
    if (!at)
        region = thread->regions;
    if (!region) {
        pinsight_add(&thread->native.engine.dropped_ends, 1);
        return;
    }
    while (thread->regions != region) /* began inside, and never ended */
        pinsight_omp_end_region(thread, thread->regions);
    pinsight_omp_end_region(thread, region);
}

static void parallel_end(ompt_data_t *data, ompt_data_t *task_data, int flags,
                         const void *codeptr) {
    (void)task_data;
    (void)flags;
    (void)codeptr;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    struct pinsight_ompt_region *region = data     ? pinsight_omp_region_of(data->ptr)
                                          : thread ? thread->regions
                                                   : NULL;
    if (thread && region) /* otherwise its begin was not observed */
        pinsight_omp_region_ends(thread, region);
}

uint64_t pinsight_omp_task_begins(struct pinsight_ompt_thread *thread, const void *handle,
                                  uint32_t size, uint32_t index, uint32_t flags) {
    const struct pinsight_ompt_region *region = pinsight_omp_region_of(handle);
    struct pinsight_omp_context *context = pinsight_omp_push(thread);
    if (!context) {
        pinsight_omp_record_ended(thread);
        return 0;
    }
    if (region && region->process != (uint32_t)pinsight_process.pid)
        region = NULL; /* it began in the parent */
    bool tracing = pinsight_omp_tracing(thread, false);
    bool counts = region && region->counts;
    context->task_id = pinsight_omp_new_id(thread);
    context->initial = flags & ompt_task_initial;
    thread->task = context->task_id;
    if (!region) {
        /* Nothing is known about a region that began before the recording. Outside of regions,
         * nothing more is needed. */
        context->live = context->initial;
        context->thread_num = context->initial ? 0 : index;
    } else {
        thread->last_region = region;
        context->parallel_id = pinsight_omp_number_of(handle);
        context->codeptr = region->codeptr;
        context->team = context->initial ? index : region->team;
        context->thread_num = context->initial ? 0 : index;
        context->live = region->live && tracing;
    }
    context->live = context->live && (context->initial || pinsight_omp_is_in_range(context));
    context->recorded = pinsight_omp_lives(context) && tracing &&
                        pinsight_omp_kind_is_on(PINSIGHT_OPENMP_KIND_IMPLICIT_TASK);
    if (context->recorded && thread->ended.task_id) {
        thread->ended.task_id = 0;
        PINSIGHT_OMP_RECORD(thread, implicit_task_next, PINSIGHT_OMP_COMMON(thread, context), size,
                            flags);
    } else {
        pinsight_omp_record_ended(thread);
        if (context->recorded)
            PINSIGHT_OMP_RECORD(thread, implicit_task_begin, PINSIGHT_OMP_COMMON(thread, context),
                                size, flags);
    }
    if (counts && thread->regions != region && pinsight_omp_is_in_range(context))
        pinsight_count_begin(&pinsight_omp_native.engine, &thread->native.engine, &context->counted,
                             region->lexgion, PINSIGHT_COUNT_PART);
    return context->task_id << 2 | context->recorded;
}

void pinsight_omp_begin_child(struct pinsight_ompt_thread *thread) {
    begin_thread(thread, ompt_thread_initial);
    pinsight_omp_task_begins(thread, NULL, 1, 1, ompt_task_initial);
}

void pinsight_omp_end_context(struct pinsight_ompt_thread *thread) {
    struct pinsight_omp_context *context = pinsight_omp_here(thread);
    if (context->counted.node)
        pinsight_count_end(&thread->native.engine, &context->counted,
                           context->arrived ? context->arrived : pinsight_clock_ticks());
    if (context->recorded)
        PINSIGHT_OMP_RECORD(thread, implicit_task_end,
                            PINSIGHT_OMP_COMMON_OF(thread, context, context->task_id));
    pinsight_omp_pop(thread);
}

void pinsight_omp_task_ends(struct pinsight_ompt_thread *thread, const ompt_data_t *task_data) {
    /* A task whose begin was not observed has no number. */
    uint64_t task = pinsight_omp_task_id(task_data);
    struct pinsight_omp_context *context = thread->top;
    if (task_data)
        while (context != &thread->outside_all && context->task_id != task)
            context = context->below;
    if (context == &thread->outside_all) {
        pinsight_add(&thread->native.engine.dropped_ends, task != 0);
        return;
    }
    pinsight_omp_close_lost(thread, context);
    if (pinsight_omp_end_in_barrier(thread))
        context->recorded = false;
    pinsight_omp_close_opens(thread);
    pinsight_omp_end_context(thread);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *data, ompt_data_t *task_data,
                          unsigned size, unsigned index, int flags) {
    struct pinsight_ompt_thread *thread =
        endpoint == ompt_scope_begin ? pinsight_omp_thread_begins() : pinsight_omp_thread_there();
    if (!thread)
        return;
    if (endpoint == ompt_scope_begin) {
        atomic_store_explicit(&thread->native.engine.core->idle, false, memory_order_relaxed);
        uint64_t task =
            pinsight_omp_task_begins(thread, data ? data->ptr : NULL, size, index, (uint32_t)flags);
        if (task)
            task_data->value = task;
        return;
    }
    pinsight_omp_task_ends(thread, task_data);
}

const ompt_callback_thread_begin_t pinsight_omp_on_thread_begin = thread_begin;
const ompt_callback_thread_end_t pinsight_omp_on_thread_end = thread_end;
const ompt_callback_parallel_begin_t pinsight_omp_on_parallel_begin = parallel_begin;
const ompt_callback_parallel_end_t pinsight_omp_on_parallel_end = parallel_end;
const ompt_callback_implicit_task_t pinsight_omp_on_implicit_task = implicit_task;
