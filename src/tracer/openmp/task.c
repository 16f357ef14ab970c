/*
 * Callbacks for explicit tasks. OpenMP 5.1, 4.5.2.7 (task create), 4.5.2.8 and 4.5.2.9
 * (dependences), 4.5.2.10 (task schedule), 4.5.2.18 (cancel).
 */
#include "tracer/openmp/domain.h"

static void task_create(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *new_data,
                        int flags, int has_dependences, const void *codeptr) {
    (void)frame;
    (void)task_data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || !new_data)
        return;
    new_data->value = 0;
    if (flags & (ompt_task_initial | ompt_task_implicit))
        return; /* implicit_task() handles them */
    bool wanted = pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_TASK);
    uint64_t id = pinsight_omp_new_id(thread);
    new_data->value =
        id << 2 | PINSIGHT_OMP_TASK_EXPLICIT | (wanted ? PINSIGHT_OMP_TASK_RECORDED : 0);
    if (!wanted)
        return;
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    uint64_t code = pinsight_omp_code(thread, codeptr);
    PINSIGHT_OMP_RECORD_ALL(thread, task_create, .global_thread_num = thread->number,
                            .omp_team_num = here->team, .omp_thread_num = here->thread_num,
                            .parallel_id = here->parallel_id, .task_id = thread->task,
                            .parallel_codeptr = here->codeptr, .new_task_id = id,
                            .flags = (uint32_t)flags, .has_dependences = has_dependences != 0,
                            .codeptr = code, .py_path = pinsight_link_here());
}

static bool is_recorded(const ompt_data_t *data) {
    const uint64_t both = PINSIGHT_OMP_TASK_EXPLICIT | PINSIGHT_OMP_TASK_RECORDED;
    return data && (data->value & both) == both;
}

/* If the creation of a task was recorded, all later events of the task are, in any mode. */
static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread)
        return;
    if (is_recorded(prior) || is_recorded(next)) {
        const struct pinsight_omp_context *here = pinsight_omp_here(thread);
        PINSIGHT_OMP_RECORD(thread, task_schedule,
                            PINSIGHT_OMP_COMMON_OF(thread, here, pinsight_omp_task_id(prior)),
                            pinsight_omp_task_id(next), (uint8_t)status);
    }
    /* The fulfilment of an event does not make the task leave the thread (OpenMP 5.1, 4.4.4.19). */
    if (next && status != ompt_task_early_fulfill && status != ompt_task_late_fulfill &&
        status != ompt_taskwait_complete)
        thread->task = pinsight_omp_task_id(next);
}

static void dependences(ompt_data_t *task_data, const ompt_dependence_t *all, int count) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || !pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_DEPENDENCE))
        return;
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    for (int i = 0; i < count; i++)
        PINSIGHT_OMP_RECORD(thread, dependence,
                            PINSIGHT_OMP_COMMON_OF(thread, here, pinsight_omp_task_id(task_data)),
                            (uint8_t)all[i].dependence_type, (uintptr_t)all[i].variable.ptr);
}

static void task_dependence(ompt_data_t *source, ompt_data_t *sink) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || !pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_DEPENDENCE))
        return;
    PINSIGHT_OMP_RECORD(
        thread, task_dependence,
        PINSIGHT_OMP_COMMON_OF(thread, pinsight_omp_here(thread), pinsight_omp_task_id(source)),
        pinsight_omp_task_id(sink));
}

static void cancel(ompt_data_t *task_data, int flags, const void *codeptr) {
    (void)task_data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || !pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_CANCEL))
        return;
    uint64_t code = pinsight_omp_code(thread, codeptr);
    PINSIGHT_OMP_RECORD(thread, cancel, PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)),
                        (uint32_t)flags, code);
}

const ompt_callback_task_create_t pinsight_omp_on_task_create = task_create;
const ompt_callback_task_schedule_t pinsight_omp_on_task_schedule = task_schedule;
const ompt_callback_dependences_t pinsight_omp_on_dependences = dependences;
const ompt_callback_task_dependence_t pinsight_omp_on_task_dependence = task_dependence;
const ompt_callback_cancel_t pinsight_omp_on_cancel = cancel;
