/* The clock of a trace: from what events have to nanoseconds since 1970. */
#ifndef PINSIGHT_READER_CTF_CLOCK_H
#define PINSIGHT_READER_CTF_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* How much is added to what a clock says: at some cycles, and in between what lies between. */
struct pinsight_clock_point {
    uint64_t cycles;
    int64_t ns;
};

struct pinsight_clock {
    uint64_t whole, fraction; /* nanoseconds a cycle, and what is left in parts of 2^64 */
    int64_t base_ns;          /* of cycle 0 */
    uint64_t near;            /* cycles below this are told by numbers of 64 bits */
    const struct pinsight_clock_point *points; /* by cycles; NULL: it is right as it is */
    size_t point_count;
};

/* Sets a clock of this frequency, which began so many seconds and cycles after 1970. A frequency of
 * 0 is a clock that stands. */
void pinsight_clock_set(struct pinsight_clock *clock, uint64_t frequency, int64_t seconds,
                        int64_t cycles);

/* Has the clock corrected at these points, which must outlive it. */
void pinsight_clock_correct(struct pinsight_clock *clock, const struct pinsight_clock_point *points,
                            size_t count);

/* What is added at these cycles. */
int64_t pinsight_clock_correction(const struct pinsight_clock_point *points, size_t count,
                                  uint64_t cycles);

/* Nanoseconds since 1970; 0 before that, and where they are too many to be told. */
static inline uint64_t pinsight_clock_ns(const struct pinsight_clock *clock, uint64_t cycles) {
    unsigned __int128 ns = cycles;
    int64_t sum;

    if (__builtin_expect(cycles < clock->near, 1))
        return (uint64_t)clock->base_ns + cycles * clock->whole +
               (uint64_t)(ns * clock->fraction >> 64);

    /* A clock of nanoseconds is LTTng's. */
    if (clock->fraction || clock->whole != 1)
        ns = ns * clock->whole + (uint64_t)(ns * clock->fraction >> 64);
    if (ns > INT64_MAX || __builtin_add_overflow(clock->base_ns, (int64_t)ns, &sum) ||
        (clock->points &&
         __builtin_add_overflow(
             sum, pinsight_clock_correction(clock->points, clock->point_count, cycles), &sum)) ||
        sum < 0)
        return 0;
    return (uint64_t)sum;
}

#endif
