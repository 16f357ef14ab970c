/*
 * Values of the current configuration in a form for hot paths: the kinds of events that are on, and
 * the units that are in their ranges.
 */
#ifndef PINSIGHT_OPENMP_SETTINGS_H
#define PINSIGHT_OPENMP_SETTINGS_H

#include "describe/openmp_kinds.h"
#include "tracer/core/native.h"

extern struct pinsight_domain pinsight_openmp_domain;
extern struct pinsight_native pinsight_omp_native;

/* Kinds of entries in a thread's list of open constructs, in addition to enum pinsight_openmp_kind.
 */
enum {
    PINSIGHT_OMP_NEST =
        PINSIGHT_OPENMP_KINDS, /* a further acquisition of a nest lock; belongs to MUTEX */
    PINSIGHT_OMP_BARRIER,      /* a barrier together with the wait in it; belongs to SYNC */
};

/* Unit numbers below this limit are looked up when the configuration changes. Higher ones are
 * looked up at each use. */
#define PINSIGHT_OMP_RANGE_BITS 1024

struct pinsight_omp_settings {
    _Atomic bool some_out; /* some units are in no range */
    _Atomic uint64_t in[PINSIGHT_OPENMP_PUNITS][PINSIGHT_OMP_RANGE_BITS / 64];
};
extern struct pinsight_omp_settings pinsight_omp_settings;

/* Takes the values from the current configuration. Called only by the thread that applies a
 * configuration. */
void pinsight_omp_settings_take(void);

/* Returns whether a unit is in its range. Any thread. */
bool pinsight_omp_in_range_slow(enum pinsight_openmp_punit punit, uint32_t number);

static inline bool pinsight_omp_in_range(enum pinsight_openmp_punit punit, uint32_t number) {
    return !atomic_load_explicit(&pinsight_omp_settings.some_out, memory_order_relaxed) ||
           pinsight_omp_in_range_slow(punit, number);
}

static inline bool pinsight_omp_kind_is_on(unsigned kind) {
    return pinsight_kind_is_on(&pinsight_omp_native.engine, kind);
}

#endif
