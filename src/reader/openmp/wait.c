/* Work and waiting of a thread in its part of a region, and its tasks. */
#include "reader/openmp/team.h"
#include "reader/timeline.h"

/* Values of the enum task_status after which a task does not continue. */
enum { STATUS_COMPLETE = 1, STATUS_CANCEL = 3, STATUS_DETACH = 4 };
/* Values without a change of task: the event of a detached task; the dependences of a taskwait. */
enum { STATUS_EARLY = 5, STATUS_LATE = 6, STATUS_TASKWAIT = 8 };

void pinsight_omp_charge(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                         uint64_t ns) {
    uint8_t wait = thread->levels[thread->level_count - 1].wait;
    uint64_t time = ns > scope->since_ns ? ns - scope->since_ns : 0;

    /* The levels of an inner part are gone when an outer part is charged. */
    if (&thread->scopes[thread->scope_count - 1] != scope)
        wait = thread->levels[scope->base].wait;
    scope->since_ns += time;
    if (wait == PINSIGHT_OMP_WAIT_NONE) {
        scope->work_ns += time;
        return;
    }
    scope->wait_ns[wait] += time;
    if (wait == PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER && scope->in_barrier)
        scope->barrier_wait_ns += time;
}

/* Returns the part that an event of a region concerns: the innermost scope of the thread, or NULL.
 * Accounts for its time until now. Ends a wait for a mutex: the thread has the mutex, has had it
 * before, or does without it. */
static struct pinsight_omp_scope *current(struct pinsight_omp_thread *thread, uint64_t id,
                                          uint64_t ns) {
    struct pinsight_omp_scope *scope;

    if (!thread->scope_count)
        return NULL;
    scope = &thread->scopes[thread->scope_count - 1];
    if (scope->kind != PINSIGHT_SCOPE_PART || scope->id != id || scope->accounted)
        return NULL;
    scope->left_last = false;
    if (scope->mutex != PINSIGHT_OMP_WAIT_NONE)
        pinsight_omp_show_wait(thread, (enum pinsight_omp_wait)scope->mutex, false, ns);
    scope->mutex = PINSIGHT_OMP_WAIT_NONE;
    return scope;
}

static struct pinsight_omp_level *top_level(struct pinsight_omp_thread *thread) {
    return &thread->levels[thread->level_count - 1];
}

void pinsight_omp_sync(struct pinsight_omp_thread *thread, uint64_t id, enum pinsight_omp_wait wait,
                       unsigned sync, bool begin, uint64_t ns) {
    struct pinsight_omp_scope *scope;
    bool implicit = wait == PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER;

    ns = pinsight_omp_enter(thread, ns);
    scope = current(thread, id, ns);
    /* The event of a taskgroup comes at its begin. The wait_begin of a taskgroup comes when the
     * thread waits. */
    if (!scope || wait == PINSIGHT_OMP_WAIT_TASKGROUP)
        return;
    pinsight_omp_charge(thread, scope, ns);
    pinsight_omp_show_wait(thread, wait, begin, ns);
    top_level(thread)->wait = (uint8_t)(begin ? wait : PINSIGHT_OMP_WAIT_NONE);
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

    ns = pinsight_omp_enter(thread, ns);
    scope = current(thread, id, ns);
    /* Between begin and end of the synchronisation, it is waiting already. */
    if (!scope || top_level(thread)->in_sync)
        return;
    pinsight_omp_charge(thread, scope, ns);
    pinsight_omp_show_wait(thread, wait, begin, ns);
    top_level(thread)->wait = (uint8_t)(begin ? wait : PINSIGHT_OMP_WAIT_NONE);
}

void pinsight_omp_acquire(struct pinsight_omp_thread *thread, uint64_t id,
                          enum pinsight_omp_wait wait, uint64_t ns) {
    struct pinsight_omp_scope *scope;

    ns = pinsight_omp_enter(thread, ns);
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

    ns = pinsight_omp_enter(thread, ns);
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

    pinsight_omp_enter(thread, ns);
    openmp->tasks_made++;
    scope = current(thread, id, ns);
    instance = scope ? pinsight_omp_instance_in(thread, scope) : NULL;
    if (instance && instance->primary->thread->selected)
        openmp->regions[instance->region].tasks++;
}

static void drop_levels(struct pinsight_omp_thread *thread, size_t from, uint64_t ns) {
    while (thread->level_count > from)
        pinsight_omp_show_task(thread, thread->levels[--thread->level_count].task, false, ns);
}

/* Returns the level of a task in a part, or the one past the top. */
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

    ns = pinsight_omp_enter(thread, ns);
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
        pinsight_omp_push_level(thread, next);
    else
        *top_level(thread) =
            (struct pinsight_omp_level){.task = next, .wait = PINSIGHT_OMP_WAIT_NONE};
}

void pinsight_omp_other(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns) {
    current(thread, id, ns);
}
