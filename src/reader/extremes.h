/* The shortest and the longest of many times. */
#ifndef PINSIGHT_READER_EXTREMES_H
#define PINSIGHT_READER_EXTREMES_H

#include <stdbool.h>
#include <stdint.h>

/* Takes note of times between `shortest` and `longest`, which are the same for one time. What is at
 * min_ns is not looked at for the first ones; what is at max_ns is 0 then. */
static inline void pinsight_extremes_add(uint64_t *min_ns, uint64_t *max_ns, bool first,
                                         uint64_t shortest, uint64_t longest) {
    if (first || shortest < *min_ns)
        *min_ns = shortest;
    if (longest > *max_ns)
        *max_ns = longest;
}

static inline uint64_t pinsight_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* What is left of a time without a part of it. A part that was rounded, or measured by another
 * clock, may be longer than the whole: then nothing is. */
static inline uint64_t pinsight_time_rest(uint64_t ns, uint64_t part) {
    return ns > part ? ns - part : 0;
}

#endif
