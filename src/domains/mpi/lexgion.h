/*
 * Lexgions of the MPI domain: the addresses that calls of MPI return to. Each is looked up once and
 * never freed; a thread finds the ones that it met last without a lock.
 */
#ifndef PINSIGHT_MPI_LEXGION_H
#define PINSIGHT_MPI_LEXGION_H

#include "core/domain.h"
#include "core/process.h"
#include "core/window.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_mpi_lexgion {
    uint64_t codeptr;
    uint64_t offset; /* of the address in its object */
    uint32_t id;     /* number in the trace, from 1; never reused in a process */
    uint32_t epoch;  /* of the table, when it was seen to be at that address; under its lock */
    bool is_inner;   /* in the MPI library itself, which calls its own functions */
    /* Stamps of the process (core/process.h): when every execution was found to be wanted, and when
     * none was; 0 where each is to be looked at. */
    _Atomic uint32_t stamp, shut_stamp;
    _Atomic uint32_t defined;  /* generation of the process when call_info was recorded last */
    _Atomic uint32_t resolved; /* generation of the settings that window and after are of */
    _Atomic(struct pinsight_window *) window; /* NULL where every execution is recorded; read under
                                                 RCU (liburcu), for it may be replaced */
    _Atomic int after;                        /* enum pinsight_mode after its window */
    _Atomic bool last_open;                   /* the last execution of its window runs */
    const char *object;                       /* path; "?" where it is not known */
    const char *symbol;                       /* "?" likewise */
    const char *function;                     /* of MPI, that is called there: "MPI_Send"; static */
    struct pinsight_mpi_lexgion *next;        /* of the same bucket; see lexgion.c */
};

/* The lexgions that a thread met last, by their addresses. */
#define PINSIGHT_MPI_CACHE 64
struct pinsight_mpi_cache {
    uint32_t epoch; /* of the table; another means that libraries were unloaded */
    struct pinsight_mpi_lexgion *at[PINSIGHT_MPI_CACHE];
};

/* The lexgion of an address, its definition recorded where somebody listens; NULL for the address 0
 * and when memory is short. Any thread; slow path. */
struct pinsight_mpi_lexgion *pinsight_mpi_lexgion_look(struct pinsight_mpi_cache *cache,
                                                       const void *codeptr, const char *function);

extern _Atomic uint32_t pinsight_mpi_epoch; /* of the table; moves on when libraries are unloaded */

/* The same, for a hot path: one that the thread met before is found without a call. */
static inline struct pinsight_mpi_lexgion *
pinsight_mpi_lexgion_find(struct pinsight_mpi_cache *cache, const void *codeptr,
                          const char *function) {
    struct pinsight_mpi_lexgion *lexgion = cache->at[(uintptr_t)codeptr / 4 % PINSIGHT_MPI_CACHE];
    if (__builtin_expect(lexgion && lexgion->codeptr == (uintptr_t)codeptr &&
                             cache->epoch ==
                                 atomic_load_explicit(&pinsight_mpi_epoch, memory_order_relaxed) &&
                             atomic_load_explicit(&lexgion->defined, memory_order_relaxed) ==
                                 pinsight_generation(),
                         1))
        return lexgion;
    return pinsight_mpi_lexgion_look(cache, codeptr, function);
}

/* How a call goes. */
struct pinsight_mpi_admission {
    bool traced, counted, outside;
    bool last; /* of its window: pinsight_mpi_lexgion_last is to be called at its end */
};

/* A call begins in `mode`, TRACING or MONITORING. Slow path: windows, settings. Any thread.
 */
struct pinsight_mpi_admission pinsight_mpi_lexgion_admit(struct pinsight_mpi_lexgion *lexgion,
                                                         enum pinsight_mode mode);

/* The last execution of its window ended. */
void pinsight_mpi_lexgion_last(struct pinsight_mpi_lexgion *lexgion);

/* The lexgion with that number. Any thread. NULL where there is none. */
struct pinsight_mpi_lexgion *pinsight_mpi_lexgion_by_id(uint32_t id);

/* In a forked child. */
void pinsight_mpi_lexgion_fork_child(void);

#endif
