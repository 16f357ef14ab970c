/*
 * Lexgions of native code: the addresses that a domain of native code (OpenMP, MPI) is given for
 * what happens, in a parallel region or at a call. Each is looked up once and never freed; a thread
 * finds the ones that it met last without a lock. What they are to a domain (how the trace explains
 * them) the domain says in its struct pinsight_native (native.h).
 */
#ifndef PINSIGHT_CORE_NATIVE_LEXGION_H
#define PINSIGHT_CORE_NATIVE_LEXGION_H

#include "core/domain.h"
#include "core/process.h"
#include "core/window.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_native_lexgion {
    uint64_t codeptr;
    uint64_t offset; /* of the address in its object */
    uint32_t id;     /* number in the trace, from 1; never reused in a process */
    uint32_t epoch;  /* of the process's objects, when it was seen to be at that address; under the
                        table's lock */
    bool is_inner;   /* in the runtime itself, as the domain tells */
    /* Stamps of the process (core/process.h): when every execution was found to be wanted, and when
     * none was; 0 where each is to be looked at. */
    _Atomic uint32_t stamp, shut_stamp;
    _Atomic uint32_t defined;  /* generation of the process when its definition was recorded last */
    _Atomic uint32_t resolved; /* generation of the settings that window and after are of */
    _Atomic(struct pinsight_window *) window; /* NULL where every execution is recorded; read under
                                                 RCU (liburcu), for it may be replaced */
    _Atomic int after;                        /* enum pinsight_mode after its window */
    _Atomic bool last_open;                   /* the last execution of its window runs */
    const char *object;                       /* path; "?" where it is not known */
    const char *symbol;                       /* "?" likewise */
    const char *called;                       /* the runtime's function that is called there, such
                                                 as "MPI_Send"; static; NULL where it is no call */
    const char *label; /* for people: what is called, else the symbol, else object and offset */
    struct pinsight_native_lexgion *next; /* of the same bucket; under the table's lock */
};

#define PINSIGHT_NATIVE_BUCKETS 1024 /* a program has some hundreds of constructs */
#define PINSIGHT_NATIVE_CHUNK 256    /* lexgions by number */
#define PINSIGHT_NATIVE_CHUNKS 4096

typedef _Atomic(struct pinsight_native_lexgion *) pinsight_native_entry;

/* All of a domain. Static in it, zeroed but for the lock. */
struct pinsight_native_table {
    pthread_mutex_t lock;
    struct pinsight_native_lexgion *buckets[PINSIGHT_NATIVE_BUCKETS]; /* under the lock */
    uint32_t count;                                                   /* under the lock */
    _Atomic(pinsight_native_entry *) chunks[PINSIGHT_NATIVE_CHUNKS];  /* read without it */
};

/* The lexgions that a thread met last, by their addresses. */
#define PINSIGHT_NATIVE_CACHE 64
struct pinsight_native_cache {
    uint32_t epoch; /* of the process's objects; another means that libraries were unloaded */
    struct pinsight_native_lexgion *at[PINSIGHT_NATIVE_CACHE];
};

struct pinsight_native;

/* The lexgion of an address, its definition recorded where somebody listens; NULL for the address 0
 * and when memory is short. `called`: see above. Any thread; slow path. */
PINSIGHT_API struct pinsight_native_lexgion *
pinsight_native_lexgion_look(struct pinsight_native *native, struct pinsight_native_cache *cache,
                             const void *codeptr, const char *called);

/* Its place in a thread's cache. */
static inline struct pinsight_native_lexgion **
pinsight_native_lexgion_place(struct pinsight_native_cache *cache, const void *codeptr) {
    return &cache->at[(uintptr_t)codeptr / 4 % PINSIGHT_NATIVE_CACHE];
}

/* The same, for a hot path: one that the thread met before is found without a call. */
static inline struct pinsight_native_lexgion *
pinsight_native_lexgion_find(struct pinsight_native *native, struct pinsight_native_cache *cache,
                             const void *codeptr, const char *called) {
    struct pinsight_native_lexgion *lexgion = *pinsight_native_lexgion_place(cache, codeptr);
    if (__builtin_expect(lexgion && lexgion->codeptr == (uintptr_t)codeptr &&
                             cache->epoch == pinsight_objects() &&
                             atomic_load_explicit(&lexgion->defined, memory_order_relaxed) ==
                                 pinsight_generation(),
                         1))
        return lexgion;
    return pinsight_native_lexgion_look(native, cache, codeptr, called);
}

/* How an execution goes. */
struct pinsight_native_admission {
    bool traced, counted, outside;
    bool last; /* of its window: pinsight_native_lexgion_last is to be called at its end */
};

/* Windows, settings. Any thread; slow path. */
PINSIGHT_API struct pinsight_native_admission
pinsight_native_lexgion_admit_slow(struct pinsight_native *native,
                                   struct pinsight_native_lexgion *lexgion);

/* An execution begins in `mode`, TRACING or MONITORING; `lexgion` may be NULL. Any thread. */
static inline struct pinsight_native_admission
pinsight_native_lexgion_admit(struct pinsight_native *native,
                              struct pinsight_native_lexgion *lexgion, enum pinsight_mode mode) {
    struct pinsight_native_admission how = {.traced = mode == PINSIGHT_MODE_TRACING,
                                            .counted = mode == PINSIGHT_MODE_MONITORING};
    if (mode != PINSIGHT_MODE_TRACING || !lexgion)
        return how;
    uint32_t stamp = pinsight_stamp();
    if (atomic_load_explicit(&lexgion->stamp, memory_order_relaxed) == stamp)
        return how;
    if (atomic_load_explicit(&lexgion->shut_stamp, memory_order_relaxed) == stamp) {
        how.traced = false;
        how.outside = true;
        return how;
    }
    return pinsight_native_lexgion_admit_slow(native, lexgion);
}

/* The last execution of its window ended. */
PINSIGHT_API void pinsight_native_lexgion_last(struct pinsight_native_lexgion *lexgion);

/* The lexgion with that number. Any thread. NULL where there is none. */
PINSIGHT_API struct pinsight_native_lexgion *
pinsight_native_lexgion_by_id(struct pinsight_native_table *table, uint32_t id);

/* In a forked child. */
void pinsight_native_lexgion_fork_child(struct pinsight_native_table *table);

#endif
