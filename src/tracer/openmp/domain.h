/* The descriptor of the OpenMP domain, its start and end, and its callbacks. */
#ifndef PINSIGHT_OPENMP_DOMAIN_H
#define PINSIGHT_OPENMP_DOMAIN_H

#include "tracer/openmp/ompt.h"
#include "tracer/openmp/thread.h"

/* The runtime's ompt_get_task_info. NULL without a runtime. */
extern ompt_get_task_info_t pinsight_omp_task_info;

/* Records the event domain_info once for each session version of the process. Any thread. */
void pinsight_omp_describe(void);

/* Registers the callbacks that a mode needs. `set` is the runtime's ompt_set_callback. Calls must
 * not overlap. */
void pinsight_omp_register(ompt_set_callback_t set, enum pinsight_mode mode);

/* Forgets the state of the callbacks when the runtime is gone. Calls must not overlap. */
void pinsight_omp_unregister(void);

/* ---- the callbacks, as in OpenMP 5.1, section 4.5.2, with the names of their events ---- */

#define PINSIGHT_OMP_CALLBACKS(DECLARE)                                                            \
    DECLARE(thread_begin)                                                                          \
    DECLARE(thread_end)                                                                            \
    DECLARE(parallel_begin)                                                                        \
    DECLARE(parallel_end)                                                                          \
    DECLARE(implicit_task)                                                                         \
    DECLARE(work)                                                                                  \
    DECLARE(masked)                                                                                \
    DECLARE(sync_region)                                                                           \
    DECLARE(sync_region_wait)                                                                      \
    DECLARE(reduction)                                                                             \
    DECLARE(task_create)                                                                           \
    DECLARE(task_schedule)                                                                         \
    DECLARE(dependences)                                                                           \
    DECLARE(task_dependence)                                                                       \
    DECLARE(mutex_acquire)                                                                         \
    DECLARE(mutex_acquired)                                                                        \
    DECLARE(mutex_released)                                                                        \
    DECLARE(nest_lock)                                                                             \
    DECLARE(target_emi)                                                                            \
    DECLARE(target_data_op_emi)                                                                    \
    DECLARE(target_submit_emi)                                                                     \
    DECLARE(target)                                                                                \
    DECLARE(target_data_op)                                                                        \
    DECLARE(target_submit)                                                                         \
    DECLARE(cancel)                                                                                \
    DECLARE(flush)

typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t;
typedef ompt_callback_sync_region_t ompt_callback_reduction_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_released_t;

#define PINSIGHT_OMP_DECLARE(name) extern const ompt_callback_##name##_t pinsight_omp_on_##name;
PINSIGHT_OMP_CALLBACKS(PINSIGHT_OMP_DECLARE)

#endif
