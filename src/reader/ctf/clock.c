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
    /* Not less than it is, so that whole seconds stay whole. */
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
