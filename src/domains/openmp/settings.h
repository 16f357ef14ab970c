/*
 * What the OpenMP domain has looked up of the configuration in force, for hot paths: which kinds of
 * events are on, and which units are in their ranges.
 */
#ifndef PINSIGHT_OPENMP_SETTINGS_H
#define PINSIGHT_OPENMP_SETTINGS_H

#include "core/domain.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern struct pinsight_domain pinsight_openmp_domain;

/* The kinds of events, in the order of src/events/openmp.json. */
enum pinsight_omp_kind {
    PINSIGHT_OMP_THREAD,
    PINSIGHT_OMP_PARALLEL,
    PINSIGHT_OMP_IMPLICIT_TASK,
    PINSIGHT_OMP_WORK,
    PINSIGHT_OMP_MASKED,
    PINSIGHT_OMP_SYNC,
    PINSIGHT_OMP_SYNC_WAIT,
    PINSIGHT_OMP_REDUCTION,
    PINSIGHT_OMP_TASK,
    PINSIGHT_OMP_DEPENDENCE,
    PINSIGHT_OMP_MUTEX,
    PINSIGHT_OMP_TARGET,
    PINSIGHT_OMP_CANCEL,
    PINSIGHT_OMP_FLUSH,
    PINSIGHT_OMP_KINDS,
    PINSIGHT_OMP_NEST = PINSIGHT_OMP_KINDS, /* a nest lock that is taken once more: of MUTEX */
    PINSIGHT_OMP_BARRIER,                   /* a barrier and the wait in it, in one: of SYNC */
};

/* And of parallel units. */
enum pinsight_omp_punit { PINSIGHT_OMP_TEAMS, PINSIGHT_OMP_THREADS, PINSIGHT_OMP_DEVICES };
#define PINSIGHT_OMP_PUNITS 3

/* The numbers of units up to here are looked up once; higher ones each time. */
#define PINSIGHT_OMP_RANGE_BITS 1024

struct pinsight_omp_settings {
    _Atomic uint64_t kinds; /* bit n is kind n */
    _Atomic bool some_out;  /* there are units that are in no range */
    _Atomic uint64_t in[PINSIGHT_OMP_PUNITS][PINSIGHT_OMP_RANGE_BITS / 64];
    _Atomic uint32_t generation; /* of the settings that these are of; 0 none */
};
extern struct pinsight_omp_settings pinsight_omp_settings;

/* Take over what the configuration in force says. The applying thread's alone. */
void pinsight_omp_settings_take(void);

/* Is the unit in its range? */
bool pinsight_omp_in_range_slow(enum pinsight_omp_punit punit, uint32_t number);

static inline bool pinsight_omp_in_range(enum pinsight_omp_punit punit, uint32_t number) {
    return !atomic_load_explicit(&pinsight_omp_settings.some_out, memory_order_relaxed) ||
           pinsight_omp_in_range_slow(punit, number);
}

static inline bool pinsight_omp_kind_is_on(enum pinsight_omp_kind kind) {
    return atomic_load_explicit(&pinsight_omp_settings.kinds, memory_order_relaxed) >> kind & 1;
}

#endif
