/*
 * Lexgions of native code: the addresses of parallel regions and calls, as runtimes report them to
 * a domain (OpenMP, MPI). If one place calls several functions, as a foreign function interface
 * does, each function has a lexgion there. A lexgion is looked up once and never freed. A thread
 * finds its recent lexgions without a lock. The domain's struct pinsight_native (native.h) says how
 * the trace explains them.
 */
#ifndef PINSIGHT_CORE_NATIVE_LEXGION_H
#define PINSIGHT_CORE_NATIVE_LEXGION_H

#include "tracer/core/lexgion.h"

#include <pthread.h>

struct pinsight_native_lexgion {
    struct pinsight_lexgion state;
    uint64_t codeptr;
    uint64_t offset; /* of the address in its object */
    /* version of the process's objects when the address was last verified; under the table's lock
     * */
    uint32_t objects_version;
    bool is_inner;      /* it lies in the runtime itself, by the domain's decision */
    const char *object; /* path; "?": unknown */
    const char *symbol; /* "?": unknown */
    /* the runtime's function that is called there, such as "MPI_Send"; static; NULL: no call */
    const char *called;
    const char *label; /* for people: called function, symbol, or object and offset */
    struct pinsight_native_lexgion *next; /* next in the bucket; under the table's lock */
};

#define PINSIGHT_NATIVE_BUCKETS 1024 /* for some hundreds of constructs in a program */

/* All native lexgions of a domain. Static in the domain, zeroed except for the lock. */
struct pinsight_native_table {
    pthread_mutex_t lock;
    struct pinsight_native_lexgion *buckets[PINSIGHT_NATIVE_BUCKETS]; /* under the lock */
    uint32_t count;                                                   /* under the lock */
};

/* The recent lexgions of a thread, by address. */
#define PINSIGHT_NATIVE_CACHE 64
struct pinsight_native_cache {
    uint32_t objects_version; /* of the process's objects; it changes when libraries are unloaded */
    struct pinsight_native_lexgion *at[PINSIGHT_NATIVE_CACHE];
};

struct pinsight_native;

/* Returns the lexgion of an address, puts it into `place` of the cache, and records its definition
 * if somebody listens. The address 0 stands for an unknown place: all calls of `called` there are
 * one lexgion. Returns NULL without memory, and for the address 0 without `called`. Any thread;
 * slow path. */
PINSIGHT_API struct pinsight_native_lexgion *
pinsight_native_lexgion_look(struct pinsight_native *native, struct pinsight_native_cache *cache,
                             struct pinsight_native_lexgion **place, const void *codeptr,
                             const char *called) PINSIGHT_COLD;

/* Returns the place of an address in a thread's cache. */
static inline struct pinsight_native_lexgion **
pinsight_native_lexgion_place(struct pinsight_native_cache *cache, const void *codeptr) {
    return &cache->at[(uintptr_t)codeptr / 4 % PINSIGHT_NATIVE_CACHE];
}

/* Returns whether a place of the cache has the lexgion of that address, with its definition
 * recorded. */
static inline bool pinsight_native_lexgion_is(const struct pinsight_native_cache *cache,
                                              const struct pinsight_native_lexgion *lexgion,
                                              const void *codeptr) {
    return lexgion && lexgion->codeptr == (uintptr_t)codeptr &&
           cache->objects_version == pinsight_objects() &&
           PINSIGHT_GET(lexgion->state.defined) == pinsight_session_version();
}

/* Like pinsight_native_lexgion_look(), for hot paths: finds a recent lexgion of the thread without
 * a call. The result may belong to another function that is called at the address. */
static inline struct pinsight_native_lexgion *
pinsight_native_lexgion_find(struct pinsight_native *native, struct pinsight_native_cache *cache,
                             const void *codeptr, const char *called) {
    struct pinsight_native_lexgion **place = pinsight_native_lexgion_place(cache, codeptr);
    if (__builtin_expect(pinsight_native_lexgion_is(cache, *place, codeptr), 1))
        return *place;
    return pinsight_native_lexgion_look(native, cache, place, codeptr, called);
}

/* Returns the place of a function that is called at an address in a thread's cache. */
static inline struct pinsight_native_lexgion **
pinsight_native_lexgion_place_called(struct pinsight_native_cache *cache, const void *codeptr,
                                     const char *called) {
    return &cache->at[((uintptr_t)codeptr / 4 + (uintptr_t)called + (uintptr_t)called / 16) %
                      PINSIGHT_NATIVE_CACHE];
}

/* Returns a recent lexgion of the thread, with its definition recorded, or NULL. It belongs to the
 * function `called`, which is the same pointer in each call. */
static inline struct pinsight_native_lexgion *
pinsight_native_lexgion_known(struct pinsight_native_cache *cache, const void *codeptr,
                              const char *called) {
    struct pinsight_native_lexgion *lexgion =
        *pinsight_native_lexgion_place_called(cache, codeptr, called);
    return pinsight_native_lexgion_is(cache, lexgion, codeptr) && lexgion->called == called
               ? lexgion
               : NULL;
}

/* Like pinsight_native_lexgion_find(), but the result always belongs to the function `called`,
 * which is the same pointer in each call. */
static inline struct pinsight_native_lexgion *
pinsight_native_lexgion_find_called(struct pinsight_native *native,
                                    struct pinsight_native_cache *cache, const void *codeptr,
                                    const char *called) {
    struct pinsight_native_lexgion *known = pinsight_native_lexgion_known(cache, codeptr, called);
    if (__builtin_expect(known != NULL, 1))
        return known;
    return pinsight_native_lexgion_look(
        native, cache, pinsight_native_lexgion_place_called(cache, codeptr, called), codeptr,
        called);
}

/* Fills in the owner of a native lexgion, for the engine. */
PINSIGHT_API void pinsight_native_owner(const struct pinsight_lexgion *lexgion,
                                        struct pinsight_window_owner *owner);

/* Returns the engine's part of a native lexgion; NULL for NULL. */
static inline struct pinsight_lexgion *
pinsight_native_state(struct pinsight_native_lexgion *lexgion) {
    return lexgion ? &lexgion->state : NULL;
}

#endif
