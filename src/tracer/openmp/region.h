/*
 * A parallel region. It is never freed, because a forked child or a late worker may still use it.
 *
 * A thread mostly begins the same region again, with the same values. Members on other processors
 * read the values, and a cache line takes long to travel. Therefore a value that members read is
 * written only if it differs.
 *
 * The number of the region always differs. It is in the pointer that members get: the handle of the
 * region. The handle is as many bytes behind the region's address as the number is above
 * `first_id`. The runtime passes it on: OMPT as the data of the region, libgomp as the data of an
 * outlined function.
 */
#ifndef PINSIGHT_OPENMP_REGION_H
#define PINSIGHT_OPENMP_REGION_H

#include "tracer/core/engine.h"

/* Bytes of a region, and the number of times that a region begins before it needs new numbers. */
#define PINSIGHT_OMP_REGION_BYTES 1024

struct pinsight_ompt_region {
    /* For GCC's OpenMP. GOMP_parallel_reductions() expects the reductions in the first field. */
    void *reductions;
    void (*function)(void *); /* the outlined function and its data */
    void *data;
    const struct pinsight_gomp_runtime *runtime;
    uint64_t first_id, codeptr;
    uint32_t process; /* pid of the process in which it began */
    uint32_t team;    /* number of its threads' team; teams of a league have their index instead */
    bool live;        /* events in it are recorded */
    bool counts;      /* MONITORING counts it */
    bool is_league;   /* GCC's OpenMP: a league of teams */
    uint8_t work;     /* GCC's OpenMP: ompt_work_t of the combined construct; 0: none */
    /* The second cache line. */
    uint64_t work_count; /* iterations or sections of that construct */
    struct pinsight_lexgion *lexgion;
    /* Only for the thread that began it. Two lines, because processors fetch lines in pairs. */
    _Alignas(2 * PINSIGHT_LINE) uint64_t parallel_id;
    uint64_t end_id; /* the first number behind its own */
    bool is_open;
    bool recorded; /* its begin was recorded */
    bool last;     /* last execution of its window */
    struct pinsight_counted_call counted;
    struct pinsight_ompt_region *outer; /* the thread's next outer open region; links free ones */
} __attribute__((aligned(PINSIGHT_OMP_REGION_BYTES)));

/* Writes a field that members of the team read. */
#define PINSIGHT_OMP_SHARE(field, value)                                                           \
    do {                                                                                           \
        if ((field) != (value))                                                                    \
            (field) = (value);                                                                     \
    } while (0)

/* Returns what members get in place of an open region. */
static inline void *pinsight_omp_handle(struct pinsight_ompt_region *region) {
    return (char *)region + (region->parallel_id - region->first_id);
}

/* Return the region of a handle, NULL for NULL; and the number of the region. Any thread. */
static inline struct pinsight_ompt_region *pinsight_omp_region_of(const void *handle) {
    return (struct pinsight_ompt_region *)((uintptr_t)handle &
                                           ~(uintptr_t)(PINSIGHT_OMP_REGION_BYTES - 1));
}
static inline uint64_t pinsight_omp_number_of(const void *handle) {
    const struct pinsight_ompt_region *region = pinsight_omp_region_of(handle);
    return region->first_id + ((uintptr_t)handle - (uintptr_t)region);
}

/* Takes new numbers for a region, and gives it the first of them. The region's handle is its
 * address then. */
void pinsight_omp_renumber(struct pinsight_ompt_region *region) PINSIGHT_COLD;

/* Gives a region its next number. */
static inline void pinsight_omp_number(struct pinsight_ompt_region *region) {
    if (__builtin_expect(++region->parallel_id >= region->end_id, 0))
        pinsight_omp_renumber(region);
}

#endif
