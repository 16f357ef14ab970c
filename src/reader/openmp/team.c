/* An open region. The region is found by its number, receives the times of its threads' parts, and
 * is added to its sums at its end. */
#include "reader/openmp/team.h"

#include "base/memory.h"
#include "reader/timeline.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *bucket_of(const struct pinsight_openmp *openmp,
                           const struct pinsight_process *process, uint64_t id) {
    uint32_t hash = pinsight_map_hash((uint32_t)id, (uint32_t)(id >> 32), process->index);

    return &openmp->buckets[hash & (openmp->bucket_count - 1)];
}

uint32_t pinsight_omp_find(const struct pinsight_openmp *openmp,
                           const struct pinsight_process *process, uint64_t id) {
    if (!openmp->bucket_count)
        return PINSIGHT_NONE;
    for (uint32_t i = *bucket_of(openmp, process, id); i != PINSIGHT_NONE;
         i = openmp->instances[i].next)
        if (openmp->instances[i].id == id && openmp->instances[i].process == process)
            return i;
    return PINSIGHT_NONE;
}

static void make_buckets(struct pinsight_openmp *openmp) {
    openmp->bucket_count = openmp->bucket_count ? openmp->bucket_count * 2 : 64;
    openmp->buckets =
        pinsight_realloc(openmp->buckets, openmp->bucket_count, sizeof(*openmp->buckets));
    for (uint32_t i = 0; i < openmp->bucket_count; i++)
        openmp->buckets[i] = PINSIGHT_NONE;
    for (uint32_t i = 0; i < openmp->instance_count; i++) {
        struct pinsight_omp_instance *instance = &openmp->instances[i];
        uint32_t *bucket;

        if (!instance->process)
            continue;
        bucket = bucket_of(openmp, instance->process, instance->id);
        instance->next = *bucket;
        *bucket = i;
    }
}

uint32_t pinsight_omp_start(struct pinsight_openmp *openmp, struct pinsight_process *process,
                            uint64_t id) {
    struct pinsight_omp_thread **members = NULL;
    size_t member_capacity = 0;
    uint32_t number = openmp->free_instance, *bucket;

    if (openmp->open_instances >= openmp->bucket_count)
        make_buckets(openmp);
    if (number != PINSIGHT_NONE) {
        openmp->free_instance = openmp->instances[number].next;
        members = openmp->instances[number].members;
        member_capacity = openmp->instances[number].member_capacity;
    } else {
        openmp->instances = pinsight_grow(openmp->instances, openmp->instance_count,
                                          &openmp->instance_capacity, sizeof(*openmp->instances));
        number = (uint32_t)openmp->instance_count++;
    }
    bucket = bucket_of(openmp, process, id);
    openmp->instances[number] = (struct pinsight_omp_instance){.id = id,
                                                               .process = process,
                                                               .next = *bucket,
                                                               .members = members,
                                                               .member_capacity = member_capacity};
    *bucket = number;
    openmp->open_instances++;
    return number;
}

static void release(struct pinsight_openmp *openmp, struct pinsight_omp_instance *instance) {
    uint32_t number = (uint32_t)(instance - openmp->instances);
    uint32_t *at = bucket_of(openmp, instance->process, instance->id);

    while (*at != number)
        at = &openmp->instances[*at].next;
    *at = instance->next;
    instance->process = NULL;
    instance->next = openmp->free_instance;
    openmp->free_instance = number;
    openmp->open_instances--;
}

struct pinsight_omp_instance *pinsight_omp_instance_in(const struct pinsight_omp_thread *thread,
                                                       const struct pinsight_omp_scope *scope) {
    struct pinsight_omp_instance *instance;

    if (scope->instance == PINSIGHT_NONE)
        return NULL;
    instance = &pinsight_model_openmp(thread->process->model)->instances[scope->instance];
    return instance->process == thread->process && instance->id == scope->id ? instance : NULL;
}

/* Adds the work of a thread by its number, unless the number is too large. */
static void add_thread_work(struct pinsight_omp_region *region, uint32_t number, uint64_t work) {
    if (number >= PINSIGHT_OMP_MOST_THREADS)
        return;
    if (number >= region->thread_work_count) {
        uint32_t count = region->thread_work_count;

        region->thread_work_ns =
            pinsight_realloc(region->thread_work_ns, number + 1, sizeof(*region->thread_work_ns));
        memset(region->thread_work_ns + count, 0,
               (number + 1 - count) * sizeof(*region->thread_work_ns));
        region->thread_work_count = number + 1;
    }
    region->thread_work_ns[number] += work;
}

/* Returns whether a part is not within another part of the same thread. */
static bool is_outermost(const struct pinsight_omp_thread *thread,
                         const struct pinsight_omp_scope *scope) {
    for (const struct pinsight_omp_scope *below = thread->scopes; below < scope; below++)
        if (below->kind == PINSIGHT_SCOPE_PART && !below->accounted)
            return false;
    return true;
}

/* Returns whether the last implicit barrier of a part is the one that ends the region. Runtimes
 * before OpenMP 5.1 do not report this. */
static bool is_joined(const struct pinsight_omp_scope *scope) {
    if (!scope->barrier_seen)
        return false;
    if (scope->in_barrier || scope->ends_region)
        return true;
    return scope->left_last && scope->team_size != 1;
}

void pinsight_omp_contribute(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                             uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_omp_instance *instance = pinsight_omp_instance_in(thread, scope);
    bool joined = is_joined(scope);
    uint64_t work, waiting = 0, imbalance;

    if (!instance || scope->accounted)
        return;
    pinsight_omp_charge(thread, scope, ns);
    imbalance = joined ? scope->barrier_wait_ns : 0;
    work = joined && !scope->in_barrier ? scope->left_work_ns : scope->work_ns;
    for (size_t i = 0; i < PINSIGHT_OMP_WAIT_COUNT; i++) {
        instance->wait_ns[i] += scope->wait_ns[i];
        waiting += scope->wait_ns[i];
    }
    instance->parts++;
    instance->joined += joined;
    instance->work_ns += work;
    instance->imbalance_ns += imbalance;
    if (work > instance->longest_ns)
        instance->longest_ns = work;
    if (thread == instance->primary) {
        instance->has_primary = true;
        instance->primary_begin_ns = scope->begin_ns;
        instance->primary_end_ns = joined && !scope->in_barrier ? scope->left_ns : scope->since_ns;
        instance->primary_waiting_ns = waiting - imbalance;
        instance->primary_imbalance_ns = imbalance;
    }
    if (instance->primary->thread->selected)
        add_thread_work(&pinsight_model_openmp(model)->regions[instance->region], scope->number,
                        work);
    thread->parts++;
    if (is_outermost(thread, scope)) {
        thread->work_ns += work;
        thread->waiting_ns += waiting - imbalance;
        thread->imbalance_ns += imbalance;
    }
    scope->accounted = true;
    pinsight_slice_end(thread->thread, PINSIGHT_SLICE_PART, scope->id, ns);
}

static uint64_t at_most(uint64_t *rest, uint64_t ns) {
    if (ns > *rest)
        ns = *rest;
    *rest -= ns;
    return ns;
}

/* Returns the frame on top of the Python stack at the begin of a region, if it is still on top; or
 * NULL. */
static struct pinsight_slice *frame_of(const struct pinsight_omp_instance *instance) {
    const struct pinsight_thread *thread = instance->primary->thread;
    struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON);

    return frame && thread->depth == instance->depth && frame->since_ns == instance->frame_ns
               ? frame
               : NULL;
}

/* Adds the region's share of the Python stack's time in the thread that started it. */
static void add_caller(struct pinsight_omp_region *region,
                       const struct pinsight_omp_instance *instance, uint64_t ns) {
    struct pinsight_omp_thread *primary = instance->primary;
    struct pinsight_thread *thread = primary->thread;
    struct pinsight_omp_caller *caller = &region->caller;
    struct pinsight_slice *frame = frame_of(instance);
    uint64_t total = ns - instance->begin_ns, rest = total, python = 0, inside;

    if (frame)
        python = frame->like_ns;
    else if (!thread->depth && !instance->depth)
        python = thread->busy_ns;
    inside = python > instance->python_ns ? python - instance->python_ns : 0;
    inside = at_most(&rest, inside);
    total -= inside;
    if (instance->has_primary) {
        uint64_t fork = pinsight_time_rest(instance->primary_begin_ns, instance->begin_ns);
        uint64_t join = ns > instance->primary_end_ns ? ns - instance->primary_end_ns : 0;

        caller->imbalance_ns += at_most(&rest, instance->primary_imbalance_ns);
        caller->waiting_ns += at_most(&rest, instance->primary_waiting_ns);
        caller->runtime_ns += at_most(&rest, fork + join);
    }
    caller->work_ns += rest;
    caller->total_ns += total;
    caller->calls++;
    if (frame)
        frame->openmp_ns += total;
    else if (!thread->depth)
        primary->outside_ns += total;
}

static void add_to_sums(struct pinsight_omp_region *region,
                        const struct pinsight_omp_instance *instance, uint64_t ns) {
    uint64_t total = pinsight_time_rest(ns, instance->begin_ns);

    pinsight_extremes_add(&region->min_ns, &region->max_ns, !region->calls, total, total);
    region->calls++;
    region->total_ns += total;
    region->nested += instance->nested;
    if (instance->parts > region->threads)
        region->threads = instance->parts;
    if (instance->parts) {
        region->measured++;
        region->joined += instance->joined == instance->parts || instance->parts == 1;
        region->work_ns += instance->work_ns;
        region->imbalance_ns += instance->imbalance_ns;
        region->longest_ns += instance->longest_ns;
        region->mean_ns += instance->work_ns / instance->parts;
        for (size_t i = 0; i < PINSIGHT_OMP_WAIT_COUNT; i++)
            region->wait_ns[i] += instance->wait_ns[i];
    }
    if (instance->has_primary) {
        region->fork_ns += pinsight_time_rest(instance->primary_begin_ns, instance->begin_ns);
        if (ns > instance->primary_end_ns)
            region->join_ns += ns - instance->primary_end_ns;
    }
    if (!instance->nested)
        add_caller(region, instance, ns);
}

void pinsight_omp_finish(struct pinsight_openmp *openmp, struct pinsight_omp_instance *instance,
                         uint64_t ns) {
    if (ns < instance->begin_ns)
        ns = instance->begin_ns;
    for (size_t i = 0; i < instance->member_count; i++) {
        struct pinsight_omp_thread *member = instance->members[i];
        struct pinsight_omp_scope *part = pinsight_omp_part_in(member, instance->id);

        if (part && pinsight_omp_instance_in(member, part) == instance)
            pinsight_omp_contribute(member, part, ns);
    }
    pinsight_slice_end(instance->primary->thread, PINSIGHT_SLICE_REGION, instance->id, ns);
    instance->primary->regions++;
    if (instance->primary->thread->selected)
        add_to_sums(&openmp->regions[instance->region], instance, ns);
    release(openmp, instance);
}
