/* The correction of a clock, by points. Not thread-safe. */
#ifndef PINSIGHT_READER_HOSTS_POINTS_H
#define PINSIGHT_READER_HOSTS_POINTS_H

#include <stddef.h>
#include <stdint.h>

/* A point of a correction: `ns` is added at `cycles`. Between two points, the correction is
 * interpolated. */
struct pinsight_clock_point {
    uint64_t cycles;
    int64_t ns;
};

/* Returns the correction in ns at a number of cycles. */
int64_t pinsight_clock_correction(const struct pinsight_clock_point *points, size_t count,
                                  uint64_t cycles);

#endif
