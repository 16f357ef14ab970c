/* The clock of a trace: converts events' times to nanoseconds since 1970. */
#ifndef PINSIGHT_READER_CTF_CLOCK_H
#define PINSIGHT_READER_CTF_CLOCK_H

#include "reader/hosts/points.h"

#include <stddef.h>
#include <stdint.h>

struct pinsight_clock {
    uint64_t whole, fraction; /* nanoseconds of a cycle; their rest in parts of 2^64 */
    int64_t base_ns;          /* time of cycle 0 */
    uint64_t near;            /* below this, 64 bits are enough for the computation */
    const struct pinsight_clock_point *points; /* by cycles; NULL: no correction */
    size_t point_count;
};

/* Sets a clock with a frequency, which began `seconds` and `cycles` after 1970. A clock with the
 * frequency 0 stands still. */
void pinsight_clock_set(struct pinsight_clock *clock, uint64_t frequency, int64_t seconds,
                        int64_t cycles);

/* Corrects the clock by these points, which must outlive it. */
void pinsight_clock_correct(struct pinsight_clock *clock, const struct pinsight_clock_point *points,
                            size_t count);

/* Returns nanoseconds since 1970; 0 for earlier times, and for times that do not fit. */
static inline uint64_t pinsight_clock_ns(const struct pinsight_clock *clock, uint64_t cycles) {
    unsigned __int128 ns = cycles;
    int64_t sum;

    if (__builtin_expect(cycles < clock->near, 1))
        return (uint64_t)clock->base_ns + cycles * clock->whole +
               (uint64_t)(ns * clock->fraction >> 64);

    /* LTTng's clock counts nanoseconds. */
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
