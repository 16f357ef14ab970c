/* The configuration of the OpenMP domain in a form for hot paths; see settings.h. */
#include "tracer/openmp/settings.h"

#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"

struct pinsight_omp_settings pinsight_omp_settings;

void pinsight_omp_settings_take(void) {
    uint32_t config_version = pinsight_config_version();
    bool some_out = false;
    if (atomic_load(&pinsight_omp_native.engine.config_version) == config_version)
        return;
    for (unsigned punit = 0; punit < PINSIGHT_OPENMP_PUNITS; punit++) {
        for (uint32_t at = 0; at < PINSIGHT_OMP_RANGE_BITS; at += 64) {
            uint64_t bits = 0;
            for (uint32_t i = 0; i < 64; i++)
                if (pinsight_resolve_in_range(&pinsight_openmp_domain, punit, at + i))
                    bits |= UINT64_C(1) << i;
            atomic_store(&pinsight_omp_settings.in[punit][at / 64], bits);
            some_out = some_out || ~bits;
        }
        some_out = some_out || pinsight_resolve_range_end(&pinsight_openmp_domain, punit) <
                                   PINSIGHT_OMP_RANGE_BITS;
    }
    atomic_store(&pinsight_omp_settings.some_out, some_out);
    atomic_store(&pinsight_omp_native.engine.kinds,
                 pinsight_resolve_events(&pinsight_openmp_domain));
    atomic_store(&pinsight_omp_native.engine.config_version, config_version);
}

bool pinsight_omp_in_range_slow(enum pinsight_openmp_punit punit, uint32_t number) {
    if (number >= PINSIGHT_OMP_RANGE_BITS)
        return pinsight_resolve_in_range(&pinsight_openmp_domain, punit, number);
    return atomic_load_explicit(&pinsight_omp_settings.in[punit][number / 64],
                                memory_order_relaxed) >>
               (number % 64) &
           1;
}
