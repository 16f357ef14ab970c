/*
 * Callbacks for target constructs, their data operations and kernels, as the host sees them. OpenMP
 * 5.1, 4.5.2.25 (data operations), 4.5.2.26 (target), 4.5.2.28 (submit). The EMI callbacks are used
 * if the runtime has them. The older ones report an operation once, not at its begin and end.
 */
#include "tracer/openmp/domain.h"

void pinsight_omp_end_target(struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_open *open) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    PINSIGHT_OMP_RECORD(thread, target_end, PINSIGHT_OMP_COMMON(thread, here), open->key,
                        open->type, open->device, open->codeptr);
}

static void target_at(ompt_target_t type, ompt_scope_endpoint_t endpoint, int device,
                      ompt_data_t *target_data, uint64_t id, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        if (target_data)
            target_data->value = id = pinsight_omp_new_id(thread);
        struct pinsight_omp_open *open =
            pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_TARGET) &&
                    pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_DEVICE,
                                          device < 0 ? 0 : (uint32_t)device)
                ? pinsight_omp_open(thread)
                : NULL;
        if (open) {
            const struct pinsight_omp_context *here = pinsight_omp_here(thread);
            *open = (struct pinsight_omp_open){.kind = PINSIGHT_OPENMP_KIND_TARGET,
                                               .type = (uint8_t)type,
                                               .device = device,
                                               .key = id,
                                               .codeptr = pinsight_omp_code(thread, codeptr)};
            PINSIGHT_OMP_RECORD_ALL(thread, target_begin, .global_thread_num = thread->number,
                                    .omp_team_num = here->team, .omp_thread_num = here->thread_num,
                                    .parallel_id = here->parallel_id, .task_id = thread->task,
                                    .parallel_codeptr = here->codeptr, .target_id = id,
                                    .target_kind = (uint8_t)type, .device_num = device,
                                    .codeptr = (uintptr_t)codeptr, .py_path = pinsight_link_here());
        }
    }
    if ((endpoint & ompt_scope_end) &&
        pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_TARGET,
                           target_data ? target_data->value : id, &found))
        pinsight_omp_end_target(thread, &found);
}

static void target_emi(ompt_target_t type, ompt_scope_endpoint_t endpoint, int device,
                       ompt_data_t *task_data, ompt_data_t *target_task_data,
                       ompt_data_t *target_data, const void *codeptr) {
    (void)task_data;
    (void)target_task_data;
    target_at(type, endpoint, device, target_data, 0, codeptr);
}

static void target(ompt_target_t type, ompt_scope_endpoint_t endpoint, int device,
                   ompt_data_t *task_data, ompt_id_t id, const void *codeptr) {
    (void)task_data;
    target_at(type, endpoint, device, NULL, id, codeptr);
}

#define DATA_OP(thread, event)                                                                     \
    PINSIGHT_OMP_RECORD_ALL(thread, event, .global_thread_num = (thread)->number,                  \
                            .omp_team_num = here->team, .omp_thread_num = here->thread_num,        \
                            .parallel_id = here->parallel_id, .task_id = (thread)->task,           \
                            .parallel_codeptr = here->codeptr, .target_id = target_id,             \
                            .host_op_id = id, .optype = (uint8_t)type, .bytes = bytes,             \
                            .src_device = source, .dest_device = destination, .codeptr = code)

/* Returns the number of an operation if its begin was recorded, and 0 otherwise. Only a recorded
 * operation has a number. */
static uint64_t operation(struct pinsight_ompt_thread *thread, ompt_scope_endpoint_t endpoint,
                          ompt_id_t *host_op_id) {
    if (endpoint & ompt_scope_begin)
        *host_op_id = pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_TARGET)
                          ? pinsight_omp_new_id(thread)
                          : 0;
    return *host_op_id;
}

static void data_op(ompt_scope_endpoint_t endpoint, uint64_t target_id, ompt_id_t *host_op_id,
                    ompt_target_data_op_t type, int source, int destination, size_t bytes,
                    const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread)
        return;
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    uint64_t id = operation(thread, endpoint, host_op_id);
    if (!id)
        return;
    uint64_t code = pinsight_omp_code(thread, codeptr);
    if (endpoint & ompt_scope_begin)
        DATA_OP(thread, target_data_op_begin);
    if (endpoint & ompt_scope_end)
        DATA_OP(thread, target_data_op_end);
}

static void target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                               ompt_data_t *target_data, ompt_id_t *host_op_id,
                               ompt_target_data_op_t type, void *from, int source, void *to,
                               int destination, size_t bytes, const void *codeptr) {
    (void)target_task_data;
    (void)from;
    (void)to;
    data_op(endpoint, target_data ? target_data->value : 0, host_op_id, type, source, destination,
            bytes, codeptr);
}

static void target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t type,
                           void *from, int source, void *to, int destination, size_t bytes,
                           const void *codeptr) {
    (void)from;
    (void)to;
    data_op(ompt_scope_beginend, target_id, &host_op_id, type, source, destination, bytes, codeptr);
}

static void submit(ompt_scope_endpoint_t endpoint, uint64_t target_id, ompt_id_t *host_op_id,
                   unsigned teams) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread)
        return;
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (!operation(thread, endpoint, host_op_id))
        return;
    if (endpoint & ompt_scope_begin)
        PINSIGHT_OMP_RECORD(thread, target_submit_begin, PINSIGHT_OMP_COMMON(thread, here),
                            target_id, *host_op_id, teams);
    if (endpoint & ompt_scope_end)
        PINSIGHT_OMP_RECORD(thread, target_submit_end, PINSIGHT_OMP_COMMON(thread, here), target_id,
                            *host_op_id, teams);
}

static void target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                              ompt_id_t *host_op_id, unsigned teams) {
    submit(endpoint, target_data ? target_data->value : 0, host_op_id, teams);
}

static void target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned teams) {
    submit(ompt_scope_beginend, target_id, &host_op_id, teams);
}

const ompt_callback_target_emi_t pinsight_omp_on_target_emi = target_emi;
const ompt_callback_target_data_op_emi_t pinsight_omp_on_target_data_op_emi = target_data_op_emi;
const ompt_callback_target_submit_emi_t pinsight_omp_on_target_submit_emi = target_submit_emi;
const ompt_callback_target_t pinsight_omp_on_target = target;
const ompt_callback_target_data_op_t pinsight_omp_on_target_data_op = target_data_op;
const ompt_callback_target_submit_t pinsight_omp_on_target_submit = target_submit;
