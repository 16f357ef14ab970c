/* Computes floors: the differences between runs of a side in most rows. No row counts as
 * steadier. */
#include "base/memory.h"
#include "base/order.h"
#include "views/diff/state.h"

#include <math.h>
#include <stdlib.h>

/* Fewer rows give no floor. */
#define ROWS 3

ORDER(ascending, double, BY(*a, *b))

double pinsight_diff_middle(double *numbers, size_t count) {
    if (!count)
        return 0;
    PINSIGHT_SORT(numbers, count, ascending);
    return numbers[(count - 1) / 2];
}

static double larger_ratio(uint64_t a_high, uint64_t a_low, uint64_t b_high, uint64_t b_low) {
    double a = log((double)a_high / (double)a_low), b = log((double)b_high / (double)b_low);

    return a > b ? a : b;
}

void pinsight_diff_floors_add(struct pinsight_diff_floors *floors,
                              const struct pinsight_diff_stat *a,
                              const struct pinsight_diff_stat *b) {
    if (!a->low || !b->low)
        return;
    floors->ranges = pinsight_grow(floors->ranges, floors->count, &floors->range_capacity,
                                   sizeof(*floors->ranges));
    floors->lows =
        pinsight_grow(floors->lows, floors->count, &floors->low_capacity, sizeof(*floors->lows));
    floors->ranges[floors->count] = larger_ratio(a->high, a->low, b->high, b->low);
    floors->lows[floors->count++] = larger_ratio(a->median, a->low, b->median, b->low);
}

struct pinsight_diff_floor pinsight_diff_floors_end(struct pinsight_diff_floors *floors,
                                                    double times) {
    struct pinsight_diff_floor floor = {0, 0};

    if (floors->count >= ROWS) {
        floor.range = times * pinsight_diff_middle(floors->ranges, floors->count);
        floor.low = 2 * times * pinsight_diff_middle(floors->lows, floors->count);
    }
    free(floors->ranges);
    free(floors->lows);
    *floors = (struct pinsight_diff_floors){0};
    return floor;
}
