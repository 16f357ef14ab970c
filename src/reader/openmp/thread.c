/* The open regions and parts of one thread. wait.c has its work and waiting in a part. */
#include "reader/openmp/team.h"
#include "reader/simultaneous.h"

#include "base/memory.h"
#include "reader/timeline.h"

#include <stdlib.h>

/* The most members of a team that are tracked. */
#define MOST_MEMBERS 65536

uint64_t pinsight_omp_enter(struct pinsight_omp_thread *thread, uint64_t ns) {
    if (!thread->events++)
        thread->first_ns = ns;
    if (ns < thread->last_ns)
        return thread->last_ns;
    thread->last_ns = ns;
    return ns;
}

static struct pinsight_omp_scope *push(struct pinsight_omp_thread *thread,
                                       const struct pinsight_omp_scope *scope) {
    thread->scopes = pinsight_grow(thread->scopes, thread->scope_count, &thread->scope_capacity,
                                   sizeof(*thread->scopes));
    thread->scopes[thread->scope_count] = *scope;
    return &thread->scopes[thread->scope_count++];
}

void pinsight_omp_push_level(struct pinsight_omp_thread *thread, uint64_t task) {
    *PINSIGHT_ADD(thread->levels, thread->level_count, thread->level_capacity) =
        (struct pinsight_omp_level){.task = task, .wait = PINSIGHT_OMP_WAIT_NONE};
}

/* Leaves the innermost scope. Ends a region whose end is missing. */
static void pop(struct pinsight_omp_thread *thread, uint64_t ns) {
    struct pinsight_openmp *openmp = pinsight_model_openmp(thread->process->model);
    struct pinsight_omp_scope *scope = &thread->scopes[thread->scope_count - 1];
    struct pinsight_omp_instance *instance = pinsight_omp_instance_in(thread, scope);

    if (scope->kind == PINSIGHT_SCOPE_PART) {
        pinsight_omp_contribute(thread, scope, ns);
        thread->level_count = scope->base;
        pinsight_slice_end(thread->thread, PINSIGHT_SLICE_PART, scope->id, ns);
    } else if (instance && instance->primary == thread) {
        openmp->unmatched_begins++;
        pinsight_omp_finish(openmp, instance, ns);
    }
    thread->scope_count--;
}

static struct pinsight_omp_scope *find(struct pinsight_omp_thread *thread, uint64_t id,
                                       enum pinsight_omp_scope_kind kind) {
    for (size_t i = thread->scope_count; i-- > 0;)
        if (thread->scopes[i].id == id && thread->scopes[i].kind == kind)
            return &thread->scopes[i];
    return NULL;
}

struct pinsight_omp_scope *pinsight_omp_part_in(struct pinsight_omp_thread *thread, uint64_t id) {
    return find(thread, id, PINSIGHT_SCOPE_PART);
}

/* Leaves regions that a task began and did not end. A task that meets another region has left them,
 * so that their ends are missing. */
static void drop_stale(struct pinsight_omp_thread *thread, uint64_t task, uint64_t ns) {
    for (size_t i = thread->scope_count; task && i-- > 0;) {
        const struct pinsight_omp_scope *scope = &thread->scopes[i];

        if (scope->kind != PINSIGHT_SCOPE_REGION || scope->task != task ||
            scope->region_kind == PINSIGHT_OMP_TARGET)
            continue;
        while (thread->scope_count > i)
            pop(thread, ns);
        return;
    }
}

/* Leaves parts of regions that have ended, because the ends of the parts are late or missing. */
static void drop_accounted(struct pinsight_omp_thread *thread, uint64_t ns) {
    while (thread->scope_count && thread->scopes[thread->scope_count - 1].accounted)
        pop(thread, ns);
}

static uint32_t inherited_path(const struct pinsight_omp_thread *thread) {
    const struct pinsight_openmp *openmp = pinsight_model_openmp(thread->process->model);

    for (size_t i = thread->scope_count; i-- > 0;) {
        const struct pinsight_omp_instance *instance =
            pinsight_omp_instance_in(thread, &thread->scopes[i]);

        if (instance)
            return openmp->regions[instance->region].path;
    }
    return PINSIGHT_NONE;
}

static void add_member(struct pinsight_omp_instance *instance, struct pinsight_omp_thread *thread) {
    if (instance->member_count < MOST_MEMBERS)
        *PINSIGHT_ADD(instance->members, instance->member_count, instance->member_capacity) =
            thread;
}

/* Connects the parts whose events came just before that of their region. */
static void adopt_parts(const struct pinsight_process *process,
                        struct pinsight_omp_instance *instance, uint32_t number) {
    for (size_t i = 0; i < process->thread_count; i++) {
        struct pinsight_omp_thread *thread = pinsight_thread_openmp(process->thread_list[i]);
        struct pinsight_omp_scope *part =
            thread ? pinsight_omp_part_in(thread, instance->id) : NULL;

        if (!part || part->instance != PINSIGHT_NONE ||
            !pinsight_may_cause(instance->begin_ns, part->begin_ns))
            continue;
        part->instance = number;
        add_member(instance, thread);
        pinsight_omp_name_part(thread, part);
    }
}

void pinsight_omp_region_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                               uint32_t native, uint32_t path, enum pinsight_omp_kind kind,
                               uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_openmp *openmp = pinsight_openmp_of(model);
    const struct pinsight_thread *python = thread->thread;
    const struct pinsight_slice *frame = pinsight_chain_top(python, READER_PYTHON);
    struct pinsight_omp_instance *instance;
    uint32_t number;

    ns = pinsight_omp_enter(thread, ns);
    drop_accounted(thread, ns);
    if (kind != PINSIGHT_OMP_TARGET)
        drop_stale(thread, task, ns);
    if (thread->scope_count >= PINSIGHT_OMP_DEEPEST) {
        openmp->too_deep++;
        return;
    }
    if (pinsight_omp_find(openmp, thread->process, id) != PINSIGHT_NONE) {
        openmp->unmatched_begins++;
        return;
    }
    if (path == PINSIGHT_NONE)
        path = inherited_path(thread);
    number = pinsight_omp_start(openmp, thread->process, id);
    instance = &openmp->instances[number];
    instance->region =
        (uint32_t)(pinsight_omp_region_of(model, native, path, kind) - openmp->regions);
    instance->primary = thread;
    instance->begin_ns = ns;
    instance->nested = thread->scope_count > 0;
    instance->depth = python->depth;
    instance->frame_ns = frame ? frame->since_ns : 0;
    instance->python_ns = frame ? frame->like_ns : python->busy_ns;
    push(thread, &(struct pinsight_omp_scope){.kind = PINSIGHT_SCOPE_REGION,
                                              .region_kind = (uint8_t)kind,
                                              .id = id,
                                              .task = task,
                                              .begin_ns = ns,
                                              .instance = number});
    pinsight_omp_show_region(thread, instance, 0);
    if (pinsight_may_cause(ns, openmp->last_early_ns))
        adopt_parts(thread->process, instance, number);
}

void pinsight_omp_region_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    struct pinsight_openmp *openmp = pinsight_openmp_of(thread->process->model);
    struct pinsight_omp_scope *scope = find(thread, id, PINSIGHT_SCOPE_REGION);
    struct pinsight_omp_instance *instance;

    ns = pinsight_omp_enter(thread, ns);
    if (!scope) {
        openmp->unmatched_ends++;
        return;
    }
    while (&thread->scopes[thread->scope_count - 1] > scope)
        pop(thread, ns);
    instance = pinsight_omp_instance_in(thread, scope);
    if (instance)
        pinsight_omp_finish(openmp, instance, ns);
    thread->scope_count--;
}

static void remember_number(struct pinsight_omp_thread *thread, uint32_t number) {
    if (!thread->in_team || number < thread->lowest)
        thread->lowest = number;
    if (!thread->in_team || number > thread->highest)
        thread->highest = number;
    thread->in_team = true;
}

void pinsight_omp_part_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                             uint32_t number, uint32_t team_size, uint64_t ns) {
    struct pinsight_openmp *openmp = pinsight_openmp_of(thread->process->model);
    uint32_t found;

    ns = pinsight_omp_enter(thread, ns);
    if (!id)
        return;
    drop_accounted(thread, ns);
    remember_number(thread, number);
    if (thread->scope_count >= PINSIGHT_OMP_DEEPEST || find(thread, id, PINSIGHT_SCOPE_PART)) {
        openmp->too_deep += thread->scope_count >= PINSIGHT_OMP_DEEPEST;
        return;
    }
    found = pinsight_omp_find(openmp, thread->process, id);
    if (found != PINSIGHT_NONE)
        add_member(&openmp->instances[found], thread);
    else
        openmp->last_early_ns = ns;
    push(thread, &(struct pinsight_omp_scope){.kind = PINSIGHT_SCOPE_PART,
                                              .id = id,
                                              .task = task,
                                              .begin_ns = ns,
                                              .since_ns = ns,
                                              .instance = found,
                                              .mutex = PINSIGHT_OMP_WAIT_NONE,
                                              .number = number,
                                              .team_size = team_size,
                                              .base = thread->level_count});
    pinsight_omp_push_level(thread, task);
    pinsight_omp_show_part(thread, &thread->scopes[thread->scope_count - 1]);
}

void pinsight_omp_part_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    struct pinsight_omp_scope *scope = find(thread, id, PINSIGHT_SCOPE_PART);

    ns = pinsight_omp_enter(thread, ns);
    if (!scope)
        return;
    while (&thread->scopes[thread->scope_count - 1] > scope)
        pop(thread, ns);
    pop(thread, ns);
}

void pinsight_omp_part_left(struct pinsight_omp_thread *thread, uint64_t ns) {
    const struct pinsight_omp_scope *scope =
        thread->scope_count ? &thread->scopes[thread->scope_count - 1] : NULL;
    uint64_t id = scope && scope->kind == PINSIGHT_SCOPE_PART ? scope->id : 0;

    if (!id)
        return;
    pinsight_omp_sync(thread, id, PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER, 0, false, ns);
    pinsight_omp_part_end(thread, id, ns);
}

uint64_t pinsight_openmp_close(struct pinsight_thread *of, uint64_t ns) {
    struct pinsight_omp_thread *thread = pinsight_thread_openmp(of);
    struct pinsight_openmp *openmp = pinsight_model_openmp(of->process->model);
    uint64_t closed = 0, unmatched = openmp ? openmp->unmatched_begins : 0;

    if (!thread)
        return 0;
    if (ns < thread->last_ns)
        ns = thread->last_ns;
    if (thread->scope_count)
        thread->last_ns = ns;
    while (thread->scope_count) {
        closed += thread->scopes[thread->scope_count - 1].kind == PINSIGHT_SCOPE_REGION;
        pop(thread, ns);
    }
    /* The caller counts them. */
    if (openmp)
        openmp->unmatched_begins = unmatched;
    return closed;
}

void pinsight_openmp_pause(struct pinsight_thread *of, uint64_t before_ns, uint64_t pause_ns) {
    struct pinsight_omp_thread *thread = pinsight_thread_openmp(of);

    for (size_t i = 0; thread && i < thread->scope_count; i++) {
        struct pinsight_omp_scope *scope = &thread->scopes[i];
        struct pinsight_omp_instance *instance = pinsight_omp_instance_in(thread, scope);

        if (scope->begin_ns < before_ns)
            scope->begin_ns += pause_ns;
        if (scope->since_ns && scope->since_ns < before_ns)
            scope->since_ns += pause_ns;
        if (scope->left_ns && scope->left_ns < before_ns)
            scope->left_ns += pause_ns;
        if (scope->kind == PINSIGHT_SCOPE_REGION && instance && instance->primary == thread &&
            instance->begin_ns < before_ns) {
            instance->begin_ns += pause_ns;
            instance->frame_ns += instance->frame_ns ? pause_ns : 0;
        }
    }
}
