/* Clocks of traces; see clock.h. */
#include "reader/ctf/clock.h"

#define NS_A_SECOND INT64_C(1000000000)

void pinsight_clock_set(struct pinsight_clock *clock, uint64_t frequency, int64_t seconds,
                        int64_t cycles) {
    __int128 base;

    *clock = (struct pinsight_clock){0};
    if (!frequency)
        return;
    clock->whole = (uint64_t)NS_A_SECOND / frequency;
    /* Rounded up, so that whole seconds stay whole. */
    clock->fraction = (uint64_t)((((unsigned __int128)((uint64_t)NS_A_SECOND % frequency) << 64) +
                                  frequency - 1) /
                                 frequency);
    base = (__int128)seconds * NS_A_SECOND + (__int128)cycles * NS_A_SECOND / (__int128)frequency;
    if (base >= INT64_MIN && base <= INT64_MAX)
        clock->base_ns = (int64_t)base;
    else
        clock->whole = clock->fraction = 0;
    if (clock->base_ns >= 0)
        clock->near = (uint64_t)(INT64_MAX - clock->base_ns) / (clock->whole + 1);
}

void pinsight_clock_correct(struct pinsight_clock *clock, const struct pinsight_clock_point *points,
                            size_t count) {
    clock->points = points;
    clock->point_count = count;
    clock->near = 0;
}

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
