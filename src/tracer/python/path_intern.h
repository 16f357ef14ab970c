/*
 * The numbers of code objects in call paths. A program may make the same function again and again
 * (exec, a notebook's cell). Each is a code object of its own, but all are the same to a reader.
 * Therefore a code object gets the number of an equal one that lives, or that was freed a short
 * time ago. A newer entry replaces an older one.
 *
 * Under the lock of the paths.
 */
#ifndef PINSIGHT_PYTHON_PATH_INTERN_H
#define PINSIGHT_PYTHON_PATH_INTERN_H

#include "tracer/python/cpython/string_view.h"
#include "tracer/python/path_code.h"
#include "tracer/python/path_pages.h"

#define PINSIGHT_PATH_BUCKETS 512u
#define PINSIGHT_PATH_WAYS 4u

/* A bucket of code objects from neighbouring lines of a file, so that the functions of a path are
 * often in one bucket. Code without a file is distributed by name. The hashes are in one word. The
 * size is half a cache line. */
struct pinsight_path_bucket {
    uint64_t hashes;                   /* 16 bits each, the lowest first; 0: free */
    uint32_t here[PINSIGHT_PATH_WAYS]; /* living code objects; 0: freed */
} __attribute__((aligned(32)));

typedef uint16_t pinsight_path_hashes __attribute__((vector_size(8)));

extern struct pinsight_path_bucket pinsight_path_buckets[PINSIGHT_PATH_BUCKETS];

/* The unused numbers, from `next` to before `end`. */
extern struct pinsight_path_numbers { uint32_t next, end; } pinsight_path_numbers;

/* Reserves a few numbers if necessary. */
void pinsight_path_numbers_make(void);

static inline void pinsight_path_numbers_reserve(uint32_t count) {
    if (PINSIGHT_UNLIKELY(pinsight_path_numbers.end - pinsight_path_numbers.next < count))
        pinsight_path_numbers_make();
}

/* Returns the part of a code object's hash that its file determines. One bit says whether names of
 * functions, instead of lines, select the bucket. */
uint64_t pinsight_path_intern_file(PyObject *file);
#define PINSIGHT_PATH_BY_NAME 1u

/* The interpreter has computed the hash of a name if it needed the hash before. */
static inline uint64_t pinsight_path_intern_name(const PyCodeObject *code) {
    return pinsight_string_hash(code->co_name);
}

static inline uint32_t pinsight_path_intern_bucket(const PyCodeObject *code, uint64_t file) {
    uint32_t place = file & PINSIGHT_PATH_BY_NAME ? (uint32_t)pinsight_path_intern_name(code)
                                                  : (uint32_t)code->co_firstlineno / 4;
    return ((uint32_t)(file >> 32) + place) % PINSIGHT_PATH_BUCKETS;
}

/* Prefetches the memory for the look-up of a code object. */
PINSIGHT_PATH_PREFETCH void pinsight_path_intern_prefetch(const PyCodeObject *code, uint64_t file) {
    __builtin_prefetch(&pinsight_path_buckets[pinsight_path_intern_bucket(code, file)], 1);
}

/* Returns whether a living or freed code object with the hash of `known` is equal to it. If so,
 * `known` gets its number and the session version of its definition, and replaces it. */
bool pinsight_path_intern_find(struct pinsight_path_code *known);

/* Gives a new code object a number: `next`, or the number of an equal one. Returns the next unused
 * number. Nearly all code objects with equal hashes are equal. */
static inline uint32_t pinsight_path_intern_number(struct pinsight_path_code *known, uint64_t file,
                                                   uint32_t next) {
    uint64_t line = (uint32_t)known->code->co_firstlineno;
    uint64_t mixed =
        (pinsight_path_intern_name(known->code) ^ line << 32 ^ file) * 0x9e3779b97f4a7c15u;
    uint32_t at = pinsight_path_intern_bucket(known->code, file);
    struct pinsight_path_bucket *bucket = &pinsight_path_buckets[at];
    uint16_t hash = (uint16_t)(mixed >> 48 | 1);
    pinsight_path_hashes hashes = (pinsight_path_hashes)bucket->hashes;
    known->hash = hash;
    known->bucket = (uint16_t)at;
    if (PINSIGHT_UNLIKELY((uint64_t)(hashes == hash)) && pinsight_path_intern_find(known))
        return next;
    uint64_t none = (uint64_t)(hashes == 0);
    unsigned way = none ? (unsigned)__builtin_ctzll(none) / 16 : hash >> 8 & 3;
    bucket->hashes = (bucket->hashes & ~((uint64_t)0xffff << 16 * way)) | (uint64_t)hash
                                                                              << 16 * way;
    bucket->here[way] = (uint32_t)(known - pinsight_path_codes_all);
    known->number = next;
    return next + 1;
}

/* Called when the code object of `known` is freed, while it is still intact. */
void pinsight_path_intern_gone(const struct pinsight_path_code *known);

#endif
