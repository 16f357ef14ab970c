/*
 * The numbers of code objects in call paths. A program may make the same function over and over
 * (exec, a cell that is run again): each is a code object of its own, and all are the same to a
 * reader, so a code object gets the number of an equal one that is here or was. As far as they are
 * kept in mind: a newer one takes the place of an older.
 *
 * Under the lock of the paths.
 */
#ifndef PINSIGHT_PYTHON_PATH_INTERN_H
#define PINSIGHT_PYTHON_PATH_INTERN_H

#include "domains/python/cpython/string_view.h"
#include "domains/python/path_code.h"
#include "domains/python/path_pages.h"

#define PINSIGHT_PATH_BUCKETS 512u
#define PINSIGHT_PATH_WAYS 4u

/* Those of about the same place in a file are in one bucket, so that a path finds its functions'
 * together, but those of one that is not a file; their hashes are in one word. Half a line of the
 * caches. */
struct pinsight_path_bucket {
    uint64_t hashes;                   /* of 16 bits each, the lowest first; 0: it is free */
    uint32_t here[PINSIGHT_PATH_WAYS]; /* the ones that are here; 0 where one went */
} __attribute__((aligned(32)));

typedef uint16_t pinsight_path_hashes __attribute__((vector_size(8)));

extern struct pinsight_path_bucket pinsight_path_buckets[PINSIGHT_PATH_BUCKETS];

/* Numbers that no code object has yet: from `next` up to `end`. */
extern struct pinsight_path_numbers { uint32_t next, end; } pinsight_path_numbers;

/* See to it that there are so many, a few. */
void pinsight_path_numbers_make(void);

static inline void pinsight_path_numbers_reserve(uint32_t count) {
    if (PINSIGHT_UNLIKELY(pinsight_path_numbers.end - pinsight_path_numbers.next < count))
        pinsight_path_numbers_make();
}

/* What the hashes of code objects take from their file; with a bit that says whether the names of
 * functions, and not their lines, tell their bucket. */
uint64_t pinsight_path_intern_file(PyObject *file);
#define PINSIGHT_PATH_BY_NAME 1u

/* The hash of a name is there where the interpreter needed it before. */
static inline uint64_t pinsight_path_intern_name(const PyCodeObject *code) {
    return pinsight_string_hash(code->co_name);
}

static inline uint32_t pinsight_path_intern_bucket(const PyCodeObject *code, uint64_t file) {
    uint32_t place = file & PINSIGHT_PATH_BY_NAME ? (uint32_t)pinsight_path_intern_name(code)
                                                  : (uint32_t)code->co_firstlineno / 4;
    return ((uint32_t)(file >> 32) + place) % PINSIGHT_PATH_BUCKETS;
}

/* It will be asked about this one: what that will read is fetched meanwhile. */
PINSIGHT_PATH_PREFETCH void pinsight_path_intern_prefetch(const PyCodeObject *code, uint64_t file) {
    __builtin_prefetch(&pinsight_path_buckets[pinsight_path_intern_bucket(code, file)], 1);
}

/* One with the hash of `known` is there, or was: is it equal? Then `known` gets its number, and the
 * session version at which that was recorded, and takes its place. */
bool pinsight_path_intern_find(struct pinsight_path_code *known);

/* Give a new one its number: `next`, or that of an equal one. The number to give next. Equal code
 * objects have the same hash, mostly. */
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

/* It goes; its code object is still whole. */
void pinsight_path_intern_gone(const struct pinsight_path_code *known);

#endif
