/*
 * Wrappers of GCC's OpenMP for target constructs, as the host sees them. Without a device, or
 * without code for it, the host executes the construct within the call.
 */
#include "tracer/openmp/gomp.h"

/* A flag of libgomp's interface (GCC's include/gomp-constants.h). */
enum { EXIT_DATA = 1 << 1 };

/* Calls the callback for an end of a target construct. libgomp's negative device numbers stand for
 * the host, or for the device that the program has chosen. */
static void report_target(ompt_scope_endpoint_t endpoint, ompt_target_t type, int device,
                          ompt_data_t *target, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (!thread)
        return;
    ompt_data_t task = pinsight_gomp_task(thread);
    pinsight_omp_on_target_emi(type, endpoint, device, &task, NULL, target, codeptr);
}

/* Defines a wrapper that reports the begin and the end around a call. */
#define TARGET(name, type, parameters, arguments)                                                  \
    static void name parameters {                                                                  \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        ompt_data_t target = ompt_data_none;                                                       \
        report_target(ompt_scope_begin, type, device, &target, codeptr);                           \
        next arguments;                                                                            \
        report_target(ompt_scope_end, type, device, &target, codeptr);                             \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

/* clang-format off: the parameters for mapped data */
#define OLD_MAP const void *unused, size_t count, void **at, size_t *sizes, unsigned char *kinds
#define MAP size_t count, void **at, size_t *sizes, unsigned short *kinds
/* clang-format on */

TARGET(GOMP_target, ompt_target, (int device, void (*function)(void *), OLD_MAP),
       (device, function, unused, count, at, sizes, kinds))
TARGET(GOMP_target_ext, ompt_target,
       (int device, void (*function)(void *), MAP, unsigned flags, void **depend, void **more),
       (device, function, count, at, sizes, kinds, flags, depend, more))
TARGET(GOMP_target_data, ompt_target_enter_data, (int device, OLD_MAP),
       (device, unused, count, at, sizes, kinds))
TARGET(GOMP_target_data_ext, ompt_target_enter_data, (int device, MAP),
       (device, count, at, sizes, kinds))
TARGET(GOMP_target_update, ompt_target_update, (int device, OLD_MAP),
       (device, unused, count, at, sizes, kinds))
TARGET(GOMP_target_update_ext, ompt_target_update, (int device, MAP, unsigned flags, void **depend),
       (device, count, at, sizes, kinds, flags, depend))
TARGET(GOMP_target_enter_exit_data,
       flags &EXIT_DATA ? ompt_target_exit_data : ompt_target_enter_data,
       (int device, MAP, unsigned flags, void **depend),
       (device, count, at, sizes, kinds, flags, depend))

/* Ends the region of the last GOMP_target_data. Only libgomp knows its device. */
static void GOMP_target_end_data(void) {
    PINSIGHT_GOMP_NEXT(GOMP_target_end_data, NULL);
    ompt_data_t target = ompt_data_none;
    report_target(ompt_scope_begin, ompt_target_exit_data, -1, &target, codeptr);
    next();
    report_target(ompt_scope_end, ompt_target_exit_data, -1, &target, codeptr);
}
PINSIGHT_GOMP_WRAPPER(GOMP_target_end_data)
