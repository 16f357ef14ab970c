/* Lexgions of the OpenMP domain. They are the addresses of constructs. */
#include "tracer/core/info.h"
#include "tracer/openmp/thread.h"

struct pinsight_native_table pinsight_omp_lexgions = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pinsight_omp_lexgion_define(const struct pinsight_lexgion *state) {
    const struct pinsight_native_lexgion *lexgion = (const struct pinsight_native_lexgion *)state;
    if (!pinsight_record_openmp_region_info_enabled())
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_openmp_region_info(pinsight_process.pid, state->id,
                                                           lexgion->codeptr, lexgion->object,
                                                           lexgion->offset, lexgion->symbol));
}
