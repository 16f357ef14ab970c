/*
 * Lexgions of the OpenMP domain: code addresses that OpenMP gives for its constructs. Each is
 * looked up once and never freed; a thread finds the ones that it met last without a lock.
 */
#ifndef PINSIGHT_OPENMP_LEXGION_H
#define PINSIGHT_OPENMP_LEXGION_H

#include "core/domain.h"
#include "core/process.h"
#include "core/window.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_omp_lexgion {
    uint64_t codeptr;
    uint64_t offset; /* of the address in its object */
    uint32_t id;     /* number in the trace, from 1; never reused in a process */
    uint32_t epoch;  /* of the table, when it was seen to be at that address; under its lock */
    /* Stamps of the process (core/process.h): when every execution was found to be wanted, and when
     * none was; 0 where each is to be looked at. */
    _Atomic uint32_t stamp, shut_stamp;
    _Atomic uint32_t defined;  /* generation of the process when region_info was recorded last */
    _Atomic uint32_t resolved; /* generation of the settings that window and after are of */
    _Atomic(struct pinsight_window *) window; /* NULL where every execution is recorded; read under
                                                 RCU (liburcu), for it may be replaced */
    _Atomic int after;                        /* enum pinsight_mode after its window */
    _Atomic bool last_open;                   /* the last execution of its window runs */
    const char *object;                       /* path; "?" where it is not known */
    const char *symbol;                       /* "?" likewise */
    char *label;                              /* the symbol, or object and offset: for people */
    struct pinsight_omp_lexgion *next;        /* of the same bucket; see lexgion.c */
};

/* The lexgions that a thread met last, by their addresses. */
#define PINSIGHT_OMP_CACHE 64
struct pinsight_omp_cache {
    uint32_t epoch; /* of the table; another means that libraries were unloaded */
    struct pinsight_omp_lexgion *at[PINSIGHT_OMP_CACHE];
};

/* The lexgion of an address, its definition recorded where somebody listens; NULL for the address 0
 * and when memory is short. Any thread; slow path. */
struct pinsight_omp_lexgion *pinsight_omp_lexgion_look(struct pinsight_omp_cache *cache,
                                                       const void *codeptr);

extern _Atomic uint32_t pinsight_omp_epoch; /* of the table; moves on when libraries are unloaded */

/* The same, for a hot path: one that the thread met before is found without a call. */
static inline struct pinsight_omp_lexgion *
pinsight_omp_lexgion_find(struct pinsight_omp_cache *cache, const void *codeptr) {
    struct pinsight_omp_lexgion *lexgion = cache->at[(uintptr_t)codeptr / 4 % PINSIGHT_OMP_CACHE];
    if (__builtin_expect(lexgion && lexgion->codeptr == (uintptr_t)codeptr &&
                             cache->epoch ==
                                 atomic_load_explicit(&pinsight_omp_epoch, memory_order_relaxed) &&
                             atomic_load_explicit(&lexgion->defined, memory_order_relaxed) ==
                                 pinsight_generation(),
                         1))
        return lexgion;
    return pinsight_omp_lexgion_look(cache, codeptr);
}

/* How an execution of a parallel region goes. */
struct pinsight_omp_admission {
    bool traced, counted, outside;
    bool last; /* of its window: pinsight_omp_lexgion_last is to be called at its end */
};

/* An execution begins in `mode`, TRACING or MONITORING. Slow path: windows, settings. Any thread.
 */
struct pinsight_omp_admission pinsight_omp_lexgion_admit(struct pinsight_omp_lexgion *lexgion,
                                                         enum pinsight_mode mode);

/* The last execution of its window ended. */
void pinsight_omp_lexgion_last(struct pinsight_omp_lexgion *lexgion);

/* The lexgion with that number. Any thread. NULL where there is none. */
struct pinsight_omp_lexgion *pinsight_omp_lexgion_by_id(uint32_t id);

/* Libraries were unloaded: addresses may come to mean something else. Any thread; the shim finds it
 * by its name. */
PINSIGHT_API void pinsight_openmp_unloaded(void);

/* In a forked child. */
void pinsight_omp_lexgion_fork_child(void);

#endif
