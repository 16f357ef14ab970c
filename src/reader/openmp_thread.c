/* What one thread does in regions: which it is in, and whether it works or waits there. */
#include "reader/openmp_team.h"

#include "reader/mem.h"
#include "reader/timeline.h"

#include <stdlib.h>

/* Values of the enum task_status after which a task does not go on. */
enum { STATUS_COMPLETE = 1, STATUS_CANCEL = 3, STATUS_DETACH = 4 };
/* And those that are no change of task: a detached task's event; a taskwait's dependences. */
enum { STATUS_EARLY = 5, STATUS_LATE = 6, STATUS_TASKWAIT = 8 };

/* Members of a team that are kept track of. */
#define MOST_MEMBERS 65536

/* The thread did something; time does not run back within it. */
static uint64_t enter(struct pinsight_omp_thread *thread, uint64_t ns) {
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

static void push_level(struct pinsight_omp_thread *thread, uint64_t task) {
    thread->levels = pinsight_grow(thread->levels, thread->level_count, &thread->level_capacity,
                                   sizeof(*thread->levels));
    thread->levels[thread->level_count++] =
        (struct pinsight_omp_level){.task = task, .wait = PINSIGHT_WAIT_NONE};
}

/* Leaves the innermost scope. A region whose end was not seen ends here. */
static void pop(struct pinsight_omp_thread *thread, uint64_t ns) {
    struct pinsight_openmp *openmp = thread->process->model->openmp;
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

/* A task that meets a region goes on only when that is over: what the same task began and did not
 * end has lost its end. */
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

/* Parts of regions that are over, whose ends are late or missing. */
static void drop_accounted(struct pinsight_omp_thread *thread, uint64_t ns) {
    while (thread->scope_count && thread->scopes[thread->scope_count - 1].accounted)
        pop(thread, ns);
}

/* The path of the region that a thread is in. */
static uint32_t inherited_path(const struct pinsight_omp_thread *thread) {
    const struct pinsight_openmp *openmp = thread->process->model->openmp;

    for (size_t i = thread->scope_count; i-- > 0;) {
        const struct pinsight_omp_instance *instance =
            pinsight_omp_instance_in(thread, &thread->scopes[i]);

        if (instance)
            return openmp->regions[instance->region].path;
    }
    return PINSIGHT_NONE;
}

void pinsight_omp_region_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                               uint32_t native, uint32_t path, enum pinsight_omp_kind kind,
                               uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_openmp *openmp = pinsight_openmp_of(model);
    const struct pinsight_thread *python = thread->thread;
    struct pinsight_omp_instance *instance;
    uint32_t number;

    ns = enter(thread, ns);
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
    instance->frame_ns = python->depth ? python->frames[python->depth - 1].begin_ns : 0;
    instance->python_ns =
        python->depth ? python->frames[python->depth - 1].children_ns : python->busy_ns;
    push(thread, &(struct pinsight_omp_scope){.kind = PINSIGHT_SCOPE_REGION,
                                              .region_kind = (uint8_t)kind,
                                              .id = id,
                                              .task = task,
                                              .begin_ns = ns,
                                              .instance = number});
    pinsight_omp_show_region(thread, instance, 0);
}

void pinsight_omp_region_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    struct pinsight_openmp *openmp = pinsight_openmp_of(thread->process->model);
    struct pinsight_omp_scope *scope = find(thread, id, PINSIGHT_SCOPE_REGION);
    struct pinsight_omp_instance *instance;

    ns = enter(thread, ns);
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

    ns = enter(thread, ns);
    if (!id)
        return;
    drop_accounted(thread, ns);
    remember_number(thread, number);
    if (thread->scope_count >= PINSIGHT_OMP_DEEPEST || find(thread, id, PINSIGHT_SCOPE_PART)) {
        openmp->too_deep += thread->scope_count >= PINSIGHT_OMP_DEEPEST;
        return;
    }
    found = pinsight_omp_find(openmp, thread->process, id);
    if (found != PINSIGHT_NONE) {
        struct pinsight_omp_instance *instance = &openmp->instances[found];

        if (instance->member_count < MOST_MEMBERS) {
            instance->members =
                pinsight_grow(instance->members, instance->member_count, &instance->member_capacity,
                              sizeof(struct pinsight_omp_thread *));
            instance->members[instance->member_count++] = thread;
        }
    }
    push(thread, &(struct pinsight_omp_scope){.kind = PINSIGHT_SCOPE_PART,
                                              .id = id,
                                              .task = task,
                                              .begin_ns = ns,
                                              .since_ns = ns,
                                              .instance = found,
                                              .mutex = PINSIGHT_WAIT_NONE,
                                              .number = number,
                                              .team_size = team_size,
                                              .base = thread->level_count});
    push_level(thread, task);
    pinsight_omp_show_part(thread, &thread->scopes[thread->scope_count - 1]);
}

void pinsight_omp_part_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    struct pinsight_omp_scope *scope = find(thread, id, PINSIGHT_SCOPE_PART);

    ns = enter(thread, ns);
    if (!scope)
        return;
    while (&thread->scopes[thread->scope_count - 1] > scope)
        pop(thread, ns);
    pop(thread, ns);
}

void pinsight_omp_charge(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                         uint64_t ns) {
    uint8_t wait = thread->levels[thread->level_count - 1].wait;
    uint64_t time = ns > scope->since_ns ? ns - scope->since_ns : 0;

    /* Of an inner part's levels nothing is left when an outer one is looked at. */
    if (&thread->scopes[thread->scope_count - 1] != scope)
        wait = thread->levels[scope->base].wait;
    scope->since_ns += time;
    if (wait == PINSIGHT_WAIT_NONE) {
        scope->work_ns += time;
        return;
    }
    scope->wait_ns[wait] += time;
    if (wait == PINSIGHT_WAIT_IMPLICIT_BARRIER && scope->in_barrier)
        scope->barrier_wait_ns += time;
}

/* The part that an event of a region is about: the innermost scope of the thread, or none. Its time
 * is accounted for until now. A mutex that the thread wanted it has by now, or it has it already
 * and takes it once more, or it goes without: it waits for it no longer. */
static struct pinsight_omp_scope *current(struct pinsight_omp_thread *thread, uint64_t id,
                                          uint64_t ns) {
    struct pinsight_omp_scope *scope;

    if (!thread->scope_count)
        return NULL;
    scope = &thread->scopes[thread->scope_count - 1];
    if (scope->kind != PINSIGHT_SCOPE_PART || scope->id != id || scope->accounted)
        return NULL;
    scope->left_last = false;
    if (scope->mutex != PINSIGHT_WAIT_NONE)
        pinsight_omp_show_wait(thread, (enum pinsight_omp_wait)scope->mutex, false, ns);
    scope->mutex = PINSIGHT_WAIT_NONE;
    return scope;
}

static struct pinsight_omp_level *top_level(struct pinsight_omp_thread *thread) {
    return &thread->levels[thread->level_count - 1];
}

void pinsight_omp_sync(struct pinsight_omp_thread *thread, uint64_t id, enum pinsight_omp_wait wait,
                       unsigned sync, bool begin, uint64_t ns) {
    struct pinsight_omp_scope *scope;
    bool implicit = wait == PINSIGHT_WAIT_IMPLICIT_BARRIER;

    ns = enter(thread, ns);
    scope = current(thread, id, ns);
    /* A taskgroup's begins where that begins: its wait_begin says when the thread waits. */
    if (!scope || wait == PINSIGHT_WAIT_TASKGROUP)
        return;
    pinsight_omp_charge(thread, scope, ns);
    pinsight_omp_show_wait(thread, wait, begin, ns);
    top_level(thread)->wait = (uint8_t)(begin ? wait : PINSIGHT_WAIT_NONE);
    top_level(thread)->in_sync = begin;
    if (!implicit)
        return;
    scope->in_barrier = begin;
    if (begin) {
        scope->barrier_seen = true;
        scope->barrier_wait_ns = 0;
        scope->ends_region = sync == PINSIGHT_SYNC_IMPLICIT_PARALLEL;
    } else {
        scope->left_last = true;
        scope->left_ns = ns;
        scope->left_work_ns = scope->work_ns;
    }
}

void pinsight_omp_sync_wait(struct pinsight_omp_thread *thread, uint64_t id,
                            enum pinsight_omp_wait wait, bool begin, uint64_t ns) {
    struct pinsight_omp_scope *scope;

    ns = enter(thread, ns);
    scope = current(thread, id, ns);
    /* From arriving to leaving it waits anyway. */
    if (!scope || top_level(thread)->in_sync)
        return;
    pinsight_omp_charge(thread, scope, ns);
    pinsight_omp_show_wait(thread, wait, begin, ns);
    top_level(thread)->wait = (uint8_t)(begin ? wait : PINSIGHT_WAIT_NONE);
}

void pinsight_omp_acquire(struct pinsight_omp_thread *thread, uint64_t id,
                          enum pinsight_omp_wait wait, uint64_t ns) {
    struct pinsight_omp_scope *scope;

    ns = enter(thread, ns);
    scope = current(thread, id, ns);
    if (!scope)
        return;
    pinsight_omp_charge(thread, scope, ns);
    pinsight_omp_show_wait(thread, wait, true, ns);
    scope->mutex = (uint8_t)wait;
}

void pinsight_omp_acquired(struct pinsight_omp_thread *thread, uint64_t id,
                           enum pinsight_omp_wait wait, uint64_t ns) {
    struct pinsight_omp_scope *scope =
        thread->scope_count ? &thread->scopes[thread->scope_count - 1] : NULL;
    bool wanted = scope && scope->kind == PINSIGHT_SCOPE_PART && scope->mutex == wait;

    ns = enter(thread, ns);
    scope = current(thread, id, ns);
    if (!scope || !wanted)
        return;
    if (ns > scope->since_ns)
        scope->wait_ns[wait] += ns - scope->since_ns;
    scope->since_ns = ns;
}

void pinsight_omp_task_made(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    struct pinsight_openmp *openmp = pinsight_openmp_of(thread->process->model);
    struct pinsight_omp_scope *scope;
    const struct pinsight_omp_instance *instance;

    enter(thread, ns);
    openmp->tasks_made++;
    scope = current(thread, id, ns);
    instance = scope ? pinsight_omp_instance_in(thread, scope) : NULL;
    if (instance && instance->primary->thread->selected)
        openmp->regions[instance->region].tasks++;
}

/* Leaves the tasks of the levels from one on. */
static void drop_levels(struct pinsight_omp_thread *thread, size_t from, uint64_t ns) {
    while (thread->level_count > from)
        pinsight_omp_show_task(thread, thread->levels[--thread->level_count].task, false, ns);
}

/* The level of a task in a part, or the one past the top. */
static size_t find_level(const struct pinsight_omp_thread *thread,
                         const struct pinsight_omp_scope *scope, uint64_t task) {
    for (size_t i = thread->level_count; i-- > scope->base;)
        if (thread->levels[i].task == task)
            return i;
    return thread->level_count;
}

void pinsight_omp_task_switch(struct pinsight_omp_thread *thread, uint64_t id, uint64_t prior,
                              uint64_t next, unsigned status, uint64_t ns) {
    struct pinsight_openmp *openmp = pinsight_openmp_of(thread->process->model);
    struct pinsight_omp_scope *scope;
    size_t level;

    ns = enter(thread, ns);
    openmp->tasks_done += status == STATUS_COMPLETE || status == STATUS_CANCEL;
    if (status == STATUS_EARLY || status == STATUS_LATE || status == STATUS_TASKWAIT)
        return;
    scope = current(thread, id, ns);
    if (!scope)
        return;
    pinsight_omp_charge(thread, scope, ns);
    if (status == STATUS_COMPLETE || status == STATUS_CANCEL || status == STATUS_DETACH) {
        level = find_level(thread, scope, prior);
        if (level > scope->base && level < thread->level_count)
            drop_levels(thread, level, ns);
    }
    if (!next)
        return;
    level = find_level(thread, scope, next);
    if (level < thread->level_count) {
        drop_levels(thread, level + 1, ns);
        return;
    }
    pinsight_omp_show_task(thread, next, true, ns);
    if (thread->level_count < scope->base + PINSIGHT_OMP_DEEPEST)
        push_level(thread, next);
    else
        *top_level(thread) = (struct pinsight_omp_level){.task = next, .wait = PINSIGHT_WAIT_NONE};
}

void pinsight_omp_other(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    current(thread, id, ns);
}

uint64_t pinsight_openmp_close(struct pinsight_omp_thread *thread, uint64_t ns) {
    struct pinsight_openmp *openmp = thread->process->model->openmp;
    uint64_t closed = 0, unmatched = openmp ? openmp->unmatched_begins : 0;

    if (ns < thread->last_ns)
        ns = thread->last_ns;
    if (thread->scope_count)
        thread->last_ns = ns;
    while (thread->scope_count) {
        closed += thread->scopes[thread->scope_count - 1].kind == PINSIGHT_SCOPE_REGION;
        pop(thread, ns);
    }
    /* These are the caller's to count. */
    if (openmp)
        openmp->unmatched_begins = unmatched;
    return closed;
}

void pinsight_openmp_leave_out(struct pinsight_omp_thread *thread, uint64_t before_ns,
                               uint64_t pause_ns) {
    for (size_t i = 0; i < thread->scope_count; i++) {
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
