/* Clocks of traces; see clock.h. */
#include "reader/ctf/clock.h"

#define NS_A_SECOND INT64_C(1000000000)

static void set_near(struct pinsight_clock *clock) {
    clock->near =
        clock->base_ns < 0 ? 0 : (uint64_t)(INT64_MAX - clock->base_ns) / (clock->whole + 1);
}

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
    set_near(clock);
}

/* Adds the same to all times. A sum that does not fit is left out. */
static void shift(struct pinsight_clock *clock, int64_t ns) {
    int64_t base_ns;

    if (!__builtin_add_overflow(clock->base_ns, ns, &base_ns))
        clock->base_ns = base_ns;
    set_near(clock);
}

void pinsight_clock_correct(struct pinsight_clock *clock, const struct pinsight_clock_point *points,
                            size_t count) {
    if (count == 1) {
        shift(clock, points->ns);
        return;
    }
    clock->points = points;
    clock->point_count = count;
    clock->near = 0;
}
