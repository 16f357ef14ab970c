/* The part of OMPT, the interface between an OpenMP runtime and its tools, that the domain uses.
 * Names and values are those of OpenMP 5.1, 4.4.3 to 4.5.2. The domain is built without a
 * compiler's omp-tools.h, which many machines lack. If PINSIGHT_OMP_TOOLS_H names one, it is
 * included instead: a test compares the two. */
#ifndef PINSIGHT_OPENMP_OMPT_H
#define PINSIGHT_OPENMP_OMPT_H

#ifdef PINSIGHT_OMP_TOOLS_H
#include PINSIGHT_OMP_TOOLS_H
#else

#include <stddef.h>
#include <stdint.h>

typedef uint64_t ompt_id_t;
typedef uint64_t ompt_wait_id_t;

typedef union ompt_data_t {
    uint64_t value;
    void *ptr;
} ompt_data_t;

static const ompt_data_t ompt_data_none __attribute__((unused)) = {0};

typedef struct ompt_frame_t {
    ompt_data_t exit_frame, enter_frame;
    int exit_frame_flags, enter_frame_flags;
} ompt_frame_t;

/* ---- the start of a tool (4.2.1) ---- */

typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data);
typedef void (*ompt_finalize_t)(ompt_data_t *tool_data);

typedef struct ompt_start_tool_result_t {
    ompt_initialize_t initialize;
    ompt_finalize_t finalize;
    ompt_data_t tool_data;
} ompt_start_tool_result_t;

typedef enum ompt_callbacks_t {
    ompt_callback_thread_begin = 1,
    ompt_callback_thread_end = 2,
    ompt_callback_parallel_begin = 3,
    ompt_callback_parallel_end = 4,
    ompt_callback_task_create = 5,
    ompt_callback_task_schedule = 6,
    ompt_callback_implicit_task = 7,
    ompt_callback_target = 8,
    ompt_callback_target_data_op = 9,
    ompt_callback_target_submit = 10,
    ompt_callback_sync_region_wait = 16,
    ompt_callback_mutex_released = 17,
    ompt_callback_dependences = 18,
    ompt_callback_task_dependence = 19,
    ompt_callback_work = 20,
    ompt_callback_masked = 21,
    ompt_callback_sync_region = 23,
    ompt_callback_mutex_acquire = 26,
    ompt_callback_mutex_acquired = 27,
    ompt_callback_nest_lock = 28,
    ompt_callback_flush = 29,
    ompt_callback_cancel = 30,
    ompt_callback_reduction = 31,
    ompt_callback_target_emi = 33,
    ompt_callback_target_data_op_emi = 34,
    ompt_callback_target_submit_emi = 35,
} ompt_callbacks_t;

typedef enum ompt_set_result_t {
    ompt_set_error = 0,
    ompt_set_never = 1,
    ompt_set_impossible = 2,
    ompt_set_always = 5,
} ompt_set_result_t;

typedef void (*ompt_callback_t)(void);
typedef ompt_set_result_t (*ompt_set_callback_t)(ompt_callbacks_t event, ompt_callback_t callback);
typedef int (*ompt_get_task_info_t)(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                                    ompt_data_t **parallel, int *thread_num);

/* ---- arguments of callbacks (4.4.4) ---- */

typedef enum ompt_thread_t {
    ompt_thread_initial = 1,
    ompt_thread_worker = 2,
    ompt_thread_other = 3,
    ompt_thread_unknown = 4,
} ompt_thread_t;

typedef enum ompt_scope_endpoint_t {
    ompt_scope_begin = 1,
    ompt_scope_end = 2,
    ompt_scope_beginend = 3,
} ompt_scope_endpoint_t;

typedef enum ompt_parallel_flag_t {
    ompt_parallel_invoker_program = 0x00000001,
    ompt_parallel_invoker_runtime = 0x00000002,
    ompt_parallel_league = 0x40000000,
    ompt_parallel_team = 0x80000000,
} ompt_parallel_flag_t;

typedef enum ompt_work_t {
    ompt_work_loop = 1,
    ompt_work_sections = 2,
    ompt_work_single_executor = 3,
    ompt_work_single_other = 4,
    ompt_work_workshare = 5,
    ompt_work_distribute = 6,
    ompt_work_taskloop = 7,
} ompt_work_t;

typedef enum ompt_sync_region_t {
    ompt_sync_region_barrier = 1,
    ompt_sync_region_barrier_implicit = 2,
    ompt_sync_region_barrier_explicit = 3,
    ompt_sync_region_barrier_implementation = 4,
    ompt_sync_region_taskwait = 5,
    ompt_sync_region_taskgroup = 6,
    ompt_sync_region_reduction = 7,
    ompt_sync_region_barrier_implicit_workshare = 8,
    ompt_sync_region_barrier_implicit_parallel = 9,
    ompt_sync_region_barrier_teams = 10,
} ompt_sync_region_t;

typedef enum ompt_mutex_t {
    ompt_mutex_lock = 1,
    ompt_mutex_test_lock = 2,
    ompt_mutex_nest_lock = 3,
    ompt_mutex_test_nest_lock = 4,
    ompt_mutex_critical = 5,
    ompt_mutex_atomic = 6,
    ompt_mutex_ordered = 7,
} ompt_mutex_t;

typedef enum ompt_task_flag_t {
    ompt_task_initial = 0x00000001,
    ompt_task_implicit = 0x00000002,
    ompt_task_explicit = 0x00000004,
    ompt_task_target = 0x00000008,
    ompt_task_taskwait = 0x00000010,
    ompt_task_undeferred = 0x08000000,
    ompt_task_untied = 0x10000000,
    ompt_task_final = 0x20000000,
    ompt_task_mergeable = 0x40000000,
    ompt_task_merged = 0x80000000,
} ompt_task_flag_t;

typedef enum ompt_task_status_t {
    ompt_task_complete = 1,
    ompt_task_yield = 2,
    ompt_task_cancel = 3,
    ompt_task_detach = 4,
    ompt_task_early_fulfill = 5,
    ompt_task_late_fulfill = 6,
    ompt_task_switch = 7,
    ompt_taskwait_complete = 8,
} ompt_task_status_t;

typedef enum ompt_dependence_type_t {
    ompt_dependence_type_in = 1,
    ompt_dependence_type_out = 2,
    ompt_dependence_type_inout = 3,
    ompt_dependence_type_mutexinoutset = 4,
    ompt_dependence_type_source = 5,
    ompt_dependence_type_sink = 6,
    ompt_dependence_type_inoutset = 7,
} ompt_dependence_type_t;

typedef struct ompt_dependence_t {
    ompt_data_t variable;
    ompt_dependence_type_t dependence_type;
} ompt_dependence_t;

typedef enum ompt_cancel_flag_t {
    ompt_cancel_parallel = 0x01,
    ompt_cancel_sections = 0x02,
    ompt_cancel_loop = 0x04,
    ompt_cancel_taskgroup = 0x08,
    ompt_cancel_activated = 0x10,
    ompt_cancel_detected = 0x20,
    ompt_cancel_discarded_task = 0x40,
} ompt_cancel_flag_t;

typedef enum ompt_target_t {
    ompt_target = 1,
    ompt_target_enter_data = 2,
    ompt_target_exit_data = 3,
    ompt_target_update = 4,
} ompt_target_t;

typedef enum ompt_target_data_op_t {
    ompt_target_data_alloc = 1,
    ompt_target_data_transfer_to_device = 2,
    ompt_target_data_transfer_from_device = 3,
    ompt_target_data_delete = 4,
} ompt_target_data_op_t;

/* ---- callbacks (4.5.2) ---- */

typedef void (*ompt_callback_thread_begin_t)(ompt_thread_t type, ompt_data_t *thread);
typedef void (*ompt_callback_thread_end_t)(ompt_data_t *thread);
typedef void (*ompt_callback_parallel_begin_t)(ompt_data_t *task, const ompt_frame_t *frame,
                                               ompt_data_t *parallel, unsigned requested, int flags,
                                               const void *codeptr);
typedef void (*ompt_callback_parallel_end_t)(ompt_data_t *parallel, ompt_data_t *task, int flags,
                                             const void *codeptr);
typedef void (*ompt_callback_implicit_task_t)(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                              ompt_data_t *task, unsigned actual, unsigned index,
                                              int flags);
typedef void (*ompt_callback_work_t)(ompt_work_t type, ompt_scope_endpoint_t endpoint,
                                     ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                                     const void *codeptr);
typedef void (*ompt_callback_masked_t)(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                       ompt_data_t *task, const void *codeptr);
typedef void (*ompt_callback_sync_region_t)(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                            ompt_data_t *parallel, ompt_data_t *task,
                                            const void *codeptr);
typedef void (*ompt_callback_task_create_t)(ompt_data_t *task, const ompt_frame_t *frame,
                                            ompt_data_t *created, int flags, int has_dependences,
                                            const void *codeptr);
typedef void (*ompt_callback_task_schedule_t)(ompt_data_t *prior, ompt_task_status_t status,
                                              ompt_data_t *next);
typedef void (*ompt_callback_dependences_t)(ompt_data_t *task, const ompt_dependence_t *all, int n);
typedef void (*ompt_callback_task_dependence_t)(ompt_data_t *source, ompt_data_t *sink);
typedef void (*ompt_callback_mutex_acquire_t)(ompt_mutex_t kind, unsigned hint, unsigned impl,
                                              ompt_wait_id_t wait_id, const void *codeptr);
typedef void (*ompt_callback_mutex_t)(ompt_mutex_t kind, ompt_wait_id_t wait_id,
                                      const void *codeptr);
typedef void (*ompt_callback_nest_lock_t)(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id,
                                          const void *codeptr);
typedef void (*ompt_callback_cancel_t)(ompt_data_t *task, int flags, const void *codeptr);
typedef void (*ompt_callback_flush_t)(ompt_data_t *thread, const void *codeptr);
typedef void (*ompt_callback_target_emi_t)(ompt_target_t kind, ompt_scope_endpoint_t endpoint,
                                           int device, ompt_data_t *task, ompt_data_t *target_task,
                                           ompt_data_t *target, const void *codeptr);
typedef void (*ompt_callback_target_data_op_emi_t)(ompt_scope_endpoint_t endpoint,
                                                   ompt_data_t *target_task, ompt_data_t *target,
                                                   ompt_id_t *host_op, ompt_target_data_op_t type,
                                                   void *source, int source_device,
                                                   void *target_address, int target_device,
                                                   size_t bytes, const void *codeptr);
typedef void (*ompt_callback_target_submit_emi_t)(ompt_scope_endpoint_t endpoint,
                                                  ompt_data_t *target, ompt_id_t *host_op,
                                                  unsigned teams);
typedef void (*ompt_callback_target_t)(ompt_target_t kind, ompt_scope_endpoint_t endpoint,
                                       int device, ompt_data_t *task, ompt_id_t target,
                                       const void *codeptr);
typedef void (*ompt_callback_target_data_op_t)(ompt_id_t target, ompt_id_t host_op,
                                               ompt_target_data_op_t type, void *source,
                                               int source_device, void *target_address,
                                               int target_device, size_t bytes,
                                               const void *codeptr);
typedef void (*ompt_callback_target_submit_t)(ompt_id_t target, ompt_id_t host_op, unsigned teams);

#endif
#endif
