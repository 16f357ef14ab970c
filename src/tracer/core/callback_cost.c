/* The cost of a domain's callbacks; see callback_cost.h. */
#include "tracer/core/callback_cost.h"

#include "tracer/core/clock.h"

#define EXACT 16u  /* each time below has its own bin */
#define OCTAVE 8u  /* bins from one power of two to the next */
#define TRIMMED 10 /* one in TRIMMED times is left out, the largest ones */
#define CAPPED 16  /* a time counts as at most this multiple of the trimmed mean */

static unsigned bin_of(uint64_t ticks) {
    if (ticks < EXACT)
        return (unsigned)ticks;
    unsigned power = 63u - (unsigned)__builtin_clzll(ticks); /* at least 4 */
    unsigned bin = EXACT + (power - 4) * OCTAVE + (unsigned)(ticks >> (power - 3) & (OCTAVE - 1));
    return bin < PINSIGHT_CALLBACK_BINS ? bin : PINSIGHT_CALLBACK_BINS - 1;
}

void pinsight_callback_add(struct pinsight_callback_times *times, uint64_t ticks) {
    unsigned bin = bin_of(ticks);

    times->count[bin]++;
    times->sum[bin] += ticks;
}

static uint64_t count_of(const struct pinsight_callback_times *times) {
    uint64_t count = 0;

    for (unsigned bin = 0; bin < PINSIGHT_CALLBACK_BINS; bin++)
        count += times->count[bin];
    return count;
}

double pinsight_callback_trimmed(const struct pinsight_callback_times *times) {
    uint64_t count = count_of(times), kept = count - count / TRIMMED, left = kept;
    double sum = 0;

    for (unsigned bin = 0; bin < PINSIGHT_CALLBACK_BINS && left; bin++) {
        uint64_t taken = times->count[bin] < left ? times->count[bin] : left;

        if (taken)
            sum += (double)times->sum[bin] * ((double)taken / (double)times->count[bin]);
        left -= taken;
    }
    return kept ? sum / (double)kept : 0;
}

double pinsight_callback_capped(const struct pinsight_callback_times *times) {
    const double most = CAPPED * pinsight_callback_trimmed(times);
    uint64_t count = count_of(times);
    double sum = 0;

    for (unsigned bin = 0; bin < PINSIGHT_CALLBACK_BINS; bin++) {
        const double all = (double)times->sum[bin], capped = most * (double)times->count[bin];

        sum += all < capped ? all : capped;
    }
    return count ? sum / (double)count : 0;
}

static __attribute__((noinline)) void nothing(void) {
    __asm__ volatile("");
}

/* Returns the time of an empty callback. It varies with the processor's other work, so it is
 * measured beside each timed callback. The first round warms the cache. */
static uint64_t empty_ticks(void) {
    void (*volatile function)(void) = nothing;
    uint64_t start = 0, end = 0;

    for (int i = 0; i < 2; i++) {
        start = pinsight_clock_ticks();
        function();
        end = pinsight_clock_ticks();
    }
    return end - start;
}

void pinsight_callback_timing(struct pinsight_callback_cost *cost) {
    cost->before += (uint64_t)cost->period;
    cost->random = cost->random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
    cost->period = (int32_t)(PINSIGHT_CALLBACK_PERIOD - PINSIGHT_CALLBACK_PERIOD / 16 +
                             (cost->random >> 16) % (PINSIGHT_CALLBACK_PERIOD / 8 + 1));
    cost->left = cost->period;
}

void pinsight_callback_timed(struct pinsight_callback_cost *cost, enum pinsight_callback_kind kind,
                             uint64_t ticks) {
    if (!cost->before)
        return; /* the first callback also starts the thread's recording */
    cost->kinds[kind]++;
    pinsight_callback_add(&cost->timed, ticks);
    pinsight_callback_add(&cost->empty, empty_ticks());
}

uint64_t pinsight_callback_count(const struct pinsight_callback_cost *cost) {
    return cost->before + (uint64_t)(cost->period - cost->left);
}

uint64_t pinsight_callback_samples(const struct pinsight_callback_cost *cost) {
    return count_of(&cost->timed);
}

double pinsight_callback_mean(const struct pinsight_callback_cost *cost) {
    double mean = pinsight_callback_capped(&cost->timed) - pinsight_callback_capped(&cost->empty);

    return mean > 0 ? mean : 0;
}
