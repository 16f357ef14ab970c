/*
 * What the OpenMP domain has looked up of the configuration in force, for hot paths: which kinds of
 * events are on, and which units are in their ranges.
 */
#ifndef PINSIGHT_OPENMP_SETTINGS_H
#define PINSIGHT_OPENMP_SETTINGS_H

#include "core/native.h"
#include "describe/openmp_kinds.h"

extern struct pinsight_domain pinsight_openmp_domain;
extern struct pinsight_native pinsight_omp_native;

/* What is begun and has an end has a kind of event, or one of these. */
enum {
    PINSIGHT_OMP_NEST = PINSIGHT_OPENMP_KINDS, /* a nest lock that is taken once more: of MUTEX */
    PINSIGHT_OMP_BARRIER,                      /* a barrier and the wait in it, in one: of SYNC */
};

/* The numbers of units up to here are looked up once; higher ones each time. */
#define PINSIGHT_OMP_RANGE_BITS 1024

struct pinsight_omp_settings {
    _Atomic bool some_out; /* there are units that are in no range */
    _Atomic uint64_t in[PINSIGHT_OPENMP_PUNITS][PINSIGHT_OMP_RANGE_BITS / 64];
};
extern struct pinsight_omp_settings pinsight_omp_settings;

/* Take over what the configuration in force says. The applying thread's alone. */
void pinsight_omp_settings_take(void);

/* Is the unit in its range? */
bool pinsight_omp_in_range_slow(enum pinsight_openmp_punit punit, uint32_t number);

static inline bool pinsight_omp_in_range(enum pinsight_openmp_punit punit, uint32_t number) {
    return !atomic_load_explicit(&pinsight_omp_settings.some_out, memory_order_relaxed) ||
           pinsight_omp_in_range_slow(punit, number);
}

static inline bool pinsight_omp_kind_is_on(unsigned kind) {
    return pinsight_kind_is_on(&pinsight_omp_native.engine, kind);
}

#endif
