/* Events of OpenMP. All events that a thread records begin with the same fields. The tables
 * guarantee this, and the assertions below check the tables. */
#include "reader/openmp/team.h"

#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"

/* Values of enums in the table. */
#define FLAG_LEAGUE UINT32_C(0x40000000) /* ompt_parallel_league: a teams construct */
#define FLAG_INITIAL_TASK 1              /* ompt_task_initial */
enum { MUTEX_TEST_LOCK = 2, MUTEX_TEST_NEST_LOCK = 4, MUTEX_ORDERED = 7 };

enum {
    GLOBAL_THREAD_NUM = PINSIGHT_OPENMP_PARALLEL_BEGIN_GLOBAL_THREAD_NUM,
    OMP_TEAM_NUM = PINSIGHT_OPENMP_PARALLEL_BEGIN_OMP_TEAM_NUM,
    OMP_THREAD_NUM = PINSIGHT_OPENMP_PARALLEL_BEGIN_OMP_THREAD_NUM,
    PARALLEL_ID = PINSIGHT_OPENMP_PARALLEL_BEGIN_PARALLEL_ID,
    TASK_ID = PINSIGHT_OPENMP_PARALLEL_BEGIN_TASK_ID,
    PARALLEL_CODEPTR = PINSIGHT_OPENMP_PARALLEL_BEGIN_PARALLEL_CODEPTR,
};

#define SAME(event)                                                                                \
    ((int)PINSIGHT_OPENMP_##event##_PARALLEL_ID == (int)PARALLEL_ID &&                             \
     (int)PINSIGHT_OPENMP_##event##_TASK_ID == (int)TASK_ID &&                                     \
     (int)PINSIGHT_OPENMP_##event##_GLOBAL_THREAD_NUM == (int)GLOBAL_THREAD_NUM)

_Static_assert((int)PINSIGHT_OPENMP_THREAD_BEGIN_GLOBAL_THREAD_NUM == (int)GLOBAL_THREAD_NUM &&
                   SAME(PARALLEL_END) && SAME(IMPLICIT_TASK_BEGIN) && SAME(IMPLICIT_TASK_END) &&
                   SAME(IMPLICIT_TASK_NEXT) && SAME(BARRIER_IMPLICIT_BEGIN) &&
                   SAME(BARRIER_IMPLICIT_END) && SAME(WORK_BEGIN) && SAME(MASKED_BEGIN) &&
                   SAME(BARRIER_IMPLICIT_SYNC_BEGIN) && SAME(BARRIER_EXPLICIT_SYNC_WAIT_END) &&
                   SAME(TASKWAIT_SYNC_BEGIN) && SAME(TASKGROUP_SYNC_WAIT_BEGIN) &&
                   SAME(REDUCTION_BEGIN) && SAME(TASK_CREATE) && SAME(TASK_SCHEDULE) &&
                   SAME(LOCK_ACQUIRE) && SAME(CRITICAL_ACQUIRED) && SAME(MUTEX_ACQUIRE) &&
                   SAME(TARGET_BEGIN) && SAME(CANCEL) && SAME(FLUSH),
               "what all events of a thread have stands in the same places");

static uint32_t u32(const struct pinsight_event *event, unsigned field) {
    return (uint32_t)pinsight_event_integer(event, field);
}

static uint64_t u64(const struct pinsight_event *event, unsigned field) {
    return (uint64_t)pinsight_event_integer(event, field);
}

struct pinsight_thread *pinsight_openmp_event_thread(struct pinsight_model *model,
                                                     const struct pinsight_event *event) {
    if (event->binding->id == PINSIGHT_EVENT_OPENMP_REGION_INFO)
        return NULL;
    /* Without the context, the thread's number in OpenMP identifies it. */
    return pinsight_lookup_native_thread(model, event,
                                         UINT32_C(0x80000000) | u32(event, GLOBAL_THREAD_NUM));
}

static void region_begin(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    bool league = (u32(event, PINSIGHT_OPENMP_PARALLEL_BEGIN_FLAGS) & FLAG_LEAGUE) != 0;

    pinsight_omp_region_begin(
        thread, u64(event, PARALLEL_ID), u64(event, TASK_ID),
        pinsight_native_at(thread->process, u64(event, PARALLEL_CODEPTR)),
        pinsight_path_of(thread->process, u32(event, PINSIGHT_OPENMP_PARALLEL_BEGIN_PY_PATH)),
        league ? PINSIGHT_OMP_TEAMS : PINSIGHT_OMP_PARALLEL, event->ns);
}

static void part_begin(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    /* Each thread of a league is the first of a team. The number of the team distinguishes them. */
    bool league = (u32(event, PINSIGHT_OPENMP_IMPLICIT_TASK_BEGIN_FLAGS) & FLAG_INITIAL_TASK) != 0;

    pinsight_omp_part_begin(thread, u64(event, PARALLEL_ID), u64(event, TASK_ID),
                            u32(event, league ? OMP_TEAM_NUM : OMP_THREAD_NUM),
                            u32(event, PINSIGHT_OPENMP_IMPLICIT_TASK_BEGIN_TEAM_SIZE), event->ns);
}

/* Returns a number for a target construct. The highest bit distinguishes it from those of
 * regions. */
static uint64_t target_id(const struct pinsight_event *event) {
    return u64(event, PINSIGHT_OPENMP_TARGET_BEGIN_TARGET_ID) | UINT64_C(1) << 63;
}

static void target_begin(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    pinsight_omp_region_begin(
        thread, target_id(event), u64(event, TASK_ID),
        pinsight_native_at(thread->process, u64(event, PINSIGHT_OPENMP_TARGET_BEGIN_CODEPTR)),
        pinsight_path_of(thread->process, u32(event, PINSIGHT_OPENMP_TARGET_BEGIN_PY_PATH)),
        PINSIGHT_OMP_TARGET, event->ns);
}

_Static_assert((int)PINSIGHT_OPENMP_TARGET_BEGIN_TARGET_ID ==
                       (int)PINSIGHT_OPENMP_TARGET_END_TARGET_ID &&
                   (int)PINSIGHT_OPENMP_LOCK_ACQUIRE_MUTEX_KIND ==
                       (int)PINSIGHT_OPENMP_MUTEX_ACQUIRED_MUTEX_KIND &&
                   (int)PINSIGHT_OPENMP_BARRIER_IMPLICIT_SYNC_BEGIN_SYNC_KIND ==
                       (int)PINSIGHT_OPENMP_BARRIER_IMPLICIT_SYNC_END_SYNC_KIND &&
                   (int)PINSIGHT_OPENMP_IMPLICIT_TASK_BEGIN_FLAGS ==
                       (int)PINSIGHT_OPENMP_IMPLICIT_TASK_NEXT_FLAGS &&
                   (int)PINSIGHT_OPENMP_IMPLICIT_TASK_BEGIN_TEAM_SIZE ==
                       (int)PINSIGHT_OPENMP_IMPLICIT_TASK_NEXT_TEAM_SIZE,
               "begins and ends have the same fields in the same places");

static enum pinsight_omp_wait mutex_wait(const struct pinsight_event *event) {
    switch (event->binding->id) {
    case PINSIGHT_EVENT_OPENMP_LOCK_ACQUIRE:
    case PINSIGHT_EVENT_OPENMP_LOCK_ACQUIRED:
        return PINSIGHT_OMP_WAIT_LOCK;
    case PINSIGHT_EVENT_OPENMP_CRITICAL_ACQUIRE:
    case PINSIGHT_EVENT_OPENMP_CRITICAL_ACQUIRED:
        return PINSIGHT_OMP_WAIT_CRITICAL;
    default:
        return u32(event, PINSIGHT_OPENMP_MUTEX_ACQUIRE_MUTEX_KIND) == MUTEX_ORDERED
                   ? PINSIGHT_OMP_WAIT_ORDERED
                   : PINSIGHT_OMP_WAIT_ATOMIC;
    }
}

static void acquire(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    uint32_t kind = u32(event, PINSIGHT_OPENMP_LOCK_ACQUIRE_MUTEX_KIND);

    /* A thread that only tries does not wait, and may not have the lock afterwards. */
    if (kind == MUTEX_TEST_LOCK || kind == MUTEX_TEST_NEST_LOCK)
        pinsight_omp_other(thread, u64(event, PARALLEL_ID), event->ns);
    else
        pinsight_omp_acquire(thread, u64(event, PARALLEL_ID), mutex_wait(event), event->ns);
}

#define SYNC(NAME, WAIT, KIND)                                                                     \
    case PINSIGHT_EVENT_OPENMP_##NAME##_SYNC_BEGIN:                                                \
        pinsight_omp_sync(thread, id, WAIT, KIND, true, event->ns);                                \
        break;                                                                                     \
    case PINSIGHT_EVENT_OPENMP_##NAME##_SYNC_END:                                                  \
        pinsight_omp_sync(thread, id, WAIT, KIND, false, event->ns);                               \
        break;                                                                                     \
    case PINSIGHT_EVENT_OPENMP_##NAME##_SYNC_WAIT_BEGIN:                                           \
        pinsight_omp_sync_wait(thread, id, WAIT, true, event->ns);                                 \
        break;                                                                                     \
    case PINSIGHT_EVENT_OPENMP_##NAME##_SYNC_WAIT_END:                                             \
        pinsight_omp_sync_wait(thread, id, WAIT, false, event->ns);                                \
        break

/* Takes the end of a barrier that comes as one event, with the end of the task if both coincide. */
static void barrier_end(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    uint64_t id = u64(event, PARALLEL_ID);

    pinsight_omp_sync(thread, id, PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER,
                      u32(event, PINSIGHT_OPENMP_BARRIER_IMPLICIT_END_SYNC_KIND), false, event->ns);
    if (u32(event, PINSIGHT_OPENMP_BARRIER_IMPLICIT_END_ENDS_TASK))
        pinsight_omp_part_end(thread, id, event->ns);
}

/* Who started the region waits for the others until then, if the end of that was not recorded. */
static void region_end(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    uint64_t id = u64(event, PARALLEL_ID);
    const struct pinsight_omp_scope *part = pinsight_omp_part_in(thread, id);

    if (part && part->in_barrier)
        pinsight_omp_part_left(thread, event->ns);
    pinsight_omp_region_end(thread, id, event->ns);
}

static void in_region(struct pinsight_omp_thread *thread, const struct pinsight_event *event) {
    uint64_t id = u64(event, PARALLEL_ID);

    switch (event->binding->id) {
        SYNC(BARRIER_IMPLICIT, PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER,
             u32(event, PINSIGHT_OPENMP_BARRIER_IMPLICIT_SYNC_BEGIN_SYNC_KIND));
        SYNC(BARRIER_EXPLICIT, PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER, 0);
        SYNC(TASKWAIT, PINSIGHT_OMP_WAIT_TASKWAIT, 0);
        SYNC(TASKGROUP, PINSIGHT_OMP_WAIT_TASKGROUP, 0);
    case PINSIGHT_EVENT_OPENMP_BARRIER_IMPLICIT_BEGIN:
        pinsight_omp_sync(thread, id, PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER,
                          u32(event, PINSIGHT_OPENMP_BARRIER_IMPLICIT_BEGIN_SYNC_KIND), true,
                          event->ns);
        break;
    case PINSIGHT_EVENT_OPENMP_BARRIER_IMPLICIT_END:
        barrier_end(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_LOCK_ACQUIRE:
    case PINSIGHT_EVENT_OPENMP_CRITICAL_ACQUIRE:
    case PINSIGHT_EVENT_OPENMP_MUTEX_ACQUIRE:
        acquire(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_LOCK_ACQUIRED:
    case PINSIGHT_EVENT_OPENMP_CRITICAL_ACQUIRED:
    case PINSIGHT_EVENT_OPENMP_MUTEX_ACQUIRED:
        pinsight_omp_acquired(thread, id, mutex_wait(event), event->ns);
        break;
    case PINSIGHT_EVENT_OPENMP_TASK_CREATE:
        pinsight_omp_task_made(thread, id, event->ns);
        break;
    case PINSIGHT_EVENT_OPENMP_TASK_SCHEDULE:
        pinsight_omp_task_switch(thread, id, u64(event, TASK_ID),
                                 u64(event, PINSIGHT_OPENMP_TASK_SCHEDULE_NEXT_TASK_ID),
                                 u32(event, PINSIGHT_OPENMP_TASK_SCHEDULE_PRIOR_STATUS), event->ns);
        break;
    default:
        pinsight_omp_other(thread, id, event->ns);
    }
}

static void of_thread(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    struct pinsight_omp_thread *thread;

    pinsight_model_touch(process, event->ns);
    if (!process->selected || model->options.names_only)
        return;
    pinsight_openmp_of(model);
    thread = pinsight_omp_thread_of(pinsight_openmp_event_thread(model, event), process);
    thread->number = u32(event, GLOBAL_THREAD_NUM);
    switch (event->binding->id) {
    case PINSIGHT_EVENT_OPENMP_THREAD_BEGIN:
        thread->type = (uint8_t)u32(event, PINSIGHT_OPENMP_THREAD_BEGIN_THREAD_TYPE);
        thread->over = false;
        break;
    case PINSIGHT_EVENT_OPENMP_THREAD_END:
        /* Another thread may get its OS thread id. */
        pinsight_model_openmp(model)->unmatched_begins +=
            pinsight_openmp_close(thread->thread, event->ns);
        thread->over = true;
        break;
    case PINSIGHT_EVENT_OPENMP_PARALLEL_BEGIN:
        region_begin(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_PARALLEL_END:
        region_end(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_TARGET_BEGIN:
        target_begin(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_TARGET_END:
        pinsight_omp_region_end(thread, target_id(event), event->ns);
        break;
    case PINSIGHT_EVENT_OPENMP_IMPLICIT_TASK_NEXT:
        pinsight_omp_part_left(thread, event->ns);
        part_begin(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_IMPLICIT_TASK_BEGIN:
        part_begin(thread, event);
        break;
    case PINSIGHT_EVENT_OPENMP_IMPLICIT_TASK_END:
        pinsight_omp_part_end(thread, u64(event, PARALLEL_ID), event->ns);
        break;
    default:
        in_region(thread, event);
    }
}

void pinsight_ingest_openmp(struct pinsight_model *model, const struct pinsight_event *event) {
    if (event->binding->id != PINSIGHT_EVENT_OPENMP_REGION_INFO) {
        of_thread(model, event);
        return;
    }
    pinsight_native_info(
        pinsight_lookup_process_named(model, event, PINSIGHT_OPENMP_REGION_INFO_PID), READER_OPENMP,
        u32(event, PINSIGHT_OPENMP_REGION_INFO_LEXGION),
        u64(event, PINSIGHT_OPENMP_REGION_INFO_CODEPTR),
        pinsight_event_text(event, PINSIGHT_OPENMP_REGION_INFO_OBJECT),
        u64(event, PINSIGHT_OPENMP_REGION_INFO_OFFSET),
        pinsight_event_text(event, PINSIGHT_OPENMP_REGION_INFO_SYMBOL));
}
