/* Corrections of clocks; see points.h. */
#include "reader/hosts/points.h"

int64_t pinsight_clock_correction(const struct pinsight_clock_point *points, size_t count,
                                  uint64_t cycles) {
    size_t before = 0, after = count;

    if (!count)
        return 0;
    while (before < after) {
        size_t middle = before + (after - before) / 2;

        if (points[middle].cycles <= cycles)
            before = middle + 1;
        else
            after = middle;
    }
    if (!before)
        return points[0].ns;
    const struct pinsight_clock_point *point = &points[before - 1];
    if (before == count)
        return point->ns;
    return point->ns +
           (int64_t)((__int128)(point[1].ns - point->ns) * (__int128)(cycles - point->cycles) /
                     (__int128)(point[1].cycles - point->cycles));
}
