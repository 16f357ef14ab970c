/* The cost of observing CPython; see callback_price.h. */
#include "base/callback_price.h"

#include <stdio.h>

/*
 * Under observation, 3.10 and 3.11 leave the fast path of their evaluation loop. The loss is a
 * share of the time of Python's own code, whatever the code calls. This share includes the cost of
 * making callbacks for C calls, which is subtracted again.
 *
 * The numbers were fitted to the processor time of the programs of bench/work/cost.py, with and
 * without PInsight. The bench's group `cost` compares them. From 3.14 on, the interpreters were
 * those of a distribution, which optimises them with profiles; the earlier ones are without.
 */
static const struct pinsight_callback_price prices[] = {
    {0, 3.5, 3.5, 30, 2, 2, 0, 6500, 900, 0.45, 8000000, 0, 0.02},
    {10, 2, 2, 2, -7, 0, 0, 3500, 1700, 0.15, 8000000, 0, 0.43},
    {12, 9.5, 9.5, 100, 15, 8, 20, 3000, 3000, 0.3, 3000000, 80000, 0},
    {13, 10, 7, 105, 14, 8, 19, 3500, 1700, 0.3, 3000000, 80000, 0},
    {14, 8, 5.5, 85, 11, 6.5, 14, 3500, 1400, 0.3, 4000000, 40000, 0},
};

const struct pinsight_callback_price *pinsight_callback_price(const char *runtime) {
    const struct pinsight_callback_price *price = NULL;
    int minor;

    if (!runtime || sscanf(runtime, "CPython 3.%d", &minor) != 1)
        return NULL;
    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]) && prices[i].from <= minor; i++)
        price = &prices[i];
    return price;
}

double pinsight_callback_price_made(const struct pinsight_callback_price *price,
                                    const struct pinsight_callback_kinds *kinds) {
    uint64_t all = kinds->functions + kinds->generators + kinds->unwinds + kinds->calls +
                   kinds->operators + kinds->exceptions;

    if (!all)
        return price->function;
    return ((double)kinds->functions * price->function +
            (double)kinds->generators * price->generator + (double)kinds->unwinds * price->unwind +
            (double)kinds->calls * price->call +
            (double)kinds->operators * price->operator+(double) kinds->exceptions *
                price->exception) /
           (double)all;
}
