/* The minimum and the maximum of many times. */
#ifndef PINSIGHT_READER_EXTREMES_H
#define PINSIGHT_READER_EXTREMES_H

#include <stdbool.h>
#include <stdint.h>

/* Adds times between `shortest` and `longest`, which are equal for a single time. `first` ignores
 * the value of *min_ns; *max_ns must then be 0. */
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

/* Returns a time without a part of it. Returns 0 if the part is longer than the whole, because it
 * was rounded, or measured by another clock. */
static inline uint64_t pinsight_time_rest(uint64_t ns, uint64_t part) {
    return ns > part ? ns - part : 0;
}

#endif
