/*
 * Lexgions of native code: the addresses that a domain of native code (OpenMP, MPI) is given for
 * what happens, in a parallel region or at a call. Where one place calls several functions, as that
 * of a foreign function interface does, each of them has a lexgion there. Each is looked up once
 * and never freed; a thread finds the ones that it met last without a lock. What they are to a
 * domain (how the trace explains them) the domain says in its struct pinsight_native (native.h).
 */
#ifndef PINSIGHT_CORE_NATIVE_LEXGION_H
#define PINSIGHT_CORE_NATIVE_LEXGION_H

#include "core/lexgion.h"

#include <pthread.h>

struct pinsight_native_lexgion {
    struct pinsight_lexgion state;
    uint64_t codeptr;
    uint64_t offset;          /* of the address in its object */
    uint32_t objects_version; /* of the process's objects, when it was seen to be at that address;
                       under the table's lock */
    bool is_inner;            /* in the runtime itself, as the domain tells */
    const char *object;       /* path; "?" where it is not known */
    const char *symbol;       /* "?" likewise */
    const char *called; /* the runtime's function that is called there, such as "MPI_Send"; static;
                           NULL where it is no call */
    const char *label;  /* for people: what is called, else the symbol, else object and offset */
    struct pinsight_native_lexgion *next; /* of the same bucket; under the table's lock */
};

#define PINSIGHT_NATIVE_BUCKETS 1024 /* a program has some hundreds of constructs */

/* All of a domain. Static in it, zeroed but for the lock. */
struct pinsight_native_table {
    pthread_mutex_t lock;
    struct pinsight_native_lexgion *buckets[PINSIGHT_NATIVE_BUCKETS]; /* under the lock */
    uint32_t count;                                                   /* under the lock */
};

/* The lexgions that a thread met last, by their addresses. */
#define PINSIGHT_NATIVE_CACHE 64
struct pinsight_native_cache {
    uint32_t
        objects_version; /* of the process's objects; another means that libraries were unloaded */
    struct pinsight_native_lexgion *at[PINSIGHT_NATIVE_CACHE];
};

struct pinsight_native;

/* The lexgion of an address, its definition recorded where somebody listens; NULL when memory is
 * short, and for the address 0 without `called`, which see above: with it the place is not known,
 * and all calls of the function are one. It is put into `place`, one of the cache's. Any
 * thread; slow path. */
PINSIGHT_API struct pinsight_native_lexgion *
pinsight_native_lexgion_look(struct pinsight_native *native, struct pinsight_native_cache *cache,
                             struct pinsight_native_lexgion **place, const void *codeptr,
                             const char *called) PINSIGHT_COLD;

/* Its place in a thread's cache. */
static inline struct pinsight_native_lexgion **
pinsight_native_lexgion_place(struct pinsight_native_cache *cache, const void *codeptr) {
    return &cache->at[(uintptr_t)codeptr / 4 % PINSIGHT_NATIVE_CACHE];
}

/* Is what stands in a place of the cache the lexgion of that address, and defined? */
static inline bool pinsight_native_lexgion_is(const struct pinsight_native_cache *cache,
                                              const struct pinsight_native_lexgion *lexgion,
                                              const void *codeptr) {
    return lexgion && lexgion->codeptr == (uintptr_t)codeptr &&
           cache->objects_version == pinsight_objects() &&
           PINSIGHT_GET(lexgion->state.defined) == pinsight_session_version();
}

/* The same as pinsight_native_lexgion_look, for a hot path: one that the thread met before is found
 * without a call. It may be that of another function which is called there. */
static inline struct pinsight_native_lexgion *
pinsight_native_lexgion_find(struct pinsight_native *native, struct pinsight_native_cache *cache,
                             const void *codeptr, const char *called) {
    struct pinsight_native_lexgion **place = pinsight_native_lexgion_place(cache, codeptr);
    if (__builtin_expect(pinsight_native_lexgion_is(cache, *place, codeptr), 1))
        return *place;
    return pinsight_native_lexgion_look(native, cache, place, codeptr, called);
}

/* The same of one function alone. `called` is the same pointer for each call of it. */
static inline struct pinsight_native_lexgion *
pinsight_native_lexgion_find_called(struct pinsight_native *native,
                                    struct pinsight_native_cache *cache, const void *codeptr,
                                    const char *called) {
    struct pinsight_native_lexgion **place =
        &cache->at[((uintptr_t)codeptr / 4 + (uintptr_t)called + (uintptr_t)called / 16) %
                   PINSIGHT_NATIVE_CACHE];
    if (__builtin_expect(
            pinsight_native_lexgion_is(cache, *place, codeptr) && (*place)->called == called, 1))
        return *place;
    return pinsight_native_lexgion_look(native, cache, place, codeptr, called);
}

/* For the engine: who owns a native lexgion. */
PINSIGHT_API void pinsight_native_owner(const struct pinsight_lexgion *lexgion,
                                        struct pinsight_window_owner *owner);

/* What the engine knows of it; NULL of NULL. */
static inline struct pinsight_lexgion *
pinsight_native_state(struct pinsight_native_lexgion *lexgion) {
    return lexgion ? &lexgion->state : NULL;
}

#endif
