/* Distinguishes change from noise. docs/diff-json.md has the rule. */
#include "base/memory.h"
#include "base/order.h"
#include "views/diff/state.h"

#include <math.h>
#include <stdlib.h>

ORDER(ascending, uint64_t, BY(*a, *b))

struct pinsight_diff_stat pinsight_diff_stat(uint64_t *values, size_t count) {
    struct pinsight_diff_stat stat = {0};

    if (!count)
        return stat;
    PINSIGHT_SORT(values, count, ascending);
    stat.min = stat.low = values[0];
    stat.max = values[count - 1];
    stat.high = values[count - 1 - count / 5];
    stat.median = values[count / 2];
    if (count % 2 == 0)
        stat.median = values[count / 2 - 1] + (values[count / 2] - values[count / 2 - 1]) / 2;
    return stat;
}

/* With these factors, one or two of a hundred rows of equal programs pass for a change. The noise
 * may be normal, lognormal or exponential. More rows would let more of them pass. Therefore the
 * factors grow from ten rows on, as that share falls. The growth follows the fourth root of the
 * rows for ranges of three or more runs, else the square root. */
struct pinsight_diff_factors pinsight_diff_factors(size_t a_runs, size_t b_runs, size_t rows) {
    size_t runs = a_runs < b_runs ? a_runs : b_runs;
    double root = sqrt(rows > 10 ? (double)rows / 10 : 1);

    if (runs < 2)
        return (struct pinsight_diff_factors){0, 0};
    if (runs == 2)
        return (struct pinsight_diff_factors){6 * root, 0};
    return (struct pinsight_diff_factors){(runs == 3   ? 2
                                           : runs <= 5 ? 1.25
                                                       : 1) *
                                              sqrt(root),
                                          (runs == 3   ? 10
                                           : runs <= 5 ? 4
                                                       : 3) *
                                              root};
}

static double larger_of(double a, double b) {
    return a > b ? a : b;
}

/* Returns the logarithm of the ratio of two times. */
static double ratio(uint64_t a, uint64_t b) {
    return log((double)a / (double)b);
}

uint64_t pinsight_diff_low_noise(const struct pinsight_diff_stat *a,
                                 const struct pinsight_diff_stat *b) {
    uint64_t one = a->median - a->min, other = b->median - b->min;

    return one > other ? one : other;
}

/* Returns whether the medians are further apart than the floor. */
static bool is_above(double floor, const struct pinsight_diff_stat *a,
                     const struct pinsight_diff_stat *b) {
    return floor <= 0 || !a->median || !b->median || fabs(ratio(a->median, b->median)) > floor;
}

/* Returns whether the faster halves of the sides differ. Disturbances only make a run slower.
 * Therefore the faster half may show a change that a disturbed run hides in the range. */
static bool is_beyond_low(const struct pinsight_diff_rule *rule, const struct pinsight_diff_stat *a,
                          const struct pinsight_diff_stat *b) {
    const struct pinsight_diff_stat *fast = a->median < b->median ? a : b;
    const struct pinsight_diff_stat *slow = fast == a ? b : a;
    double noise = (double)pinsight_diff_low_noise(a, b), factor = rule->factors.low;

    return factor > 0 && slow->min > fast->median && is_above(rule->floor.low, fast, slow) &&
           (double)(slow->median - fast->median) > factor * noise &&
           (double)(slow->min - fast->min) > factor * noise;
}

static bool is_beyond_range(const struct pinsight_diff_rule *rule,
                            const struct pinsight_diff_stat *a,
                            const struct pinsight_diff_stat *b) {
    double range = larger_of((double)(a->high - a->low), (double)(b->high - b->low));
    double factor = rule->factors.range;

    if (factor <= 0 || a->median == b->median || (a->high >= b->low && b->high >= a->low) ||
        !is_above(rule->floor.range, a, b))
        return false;
    if (fabs((double)a->median - (double)b->median) > factor * range)
        return true;
    /* A function that takes ten times as long has ten times the noise. */
    return a->low && b->low &&
           fabs(ratio(a->median, b->median)) >
               factor * larger_of(ratio(a->high, a->low), ratio(b->high, b->low));
}

bool pinsight_diff_is_beyond(const struct pinsight_diff_rule *rule,
                             const struct pinsight_diff_stat *a,
                             const struct pinsight_diff_stat *b) {
    return is_beyond_range(rule, a, b) || is_beyond_low(rule, a, b);
}

bool pinsight_diff_is_large(const struct pinsight_diff *diff, const struct pinsight_diff_rule *rule,
                            uint64_t a, uint64_t b) {
    uint64_t apart = a < b ? b - a : a - b, larger = a < b ? b : a;

    return apart >= rule->least_ns &&
           (double)apart * 100 >= diff->options.min_change * (double)larger;
}

static enum pinsight_diff_verdict verdict_of(const struct pinsight_diff *diff,
                                             const struct pinsight_diff_row *row,
                                             enum pinsight_diff_metric metric) {
    uint64_t a = row->sides[0].stats[metric].median, b = row->sides[1].stats[metric].median;

    if (!row->compared || !pinsight_diff_is_large(diff, &diff->rule, a, b))
        return PINSIGHT_DIFF_SAME;
    if (!row->sides[0].seen && row->sides[1].seen == diff->run_count[1])
        return PINSIGHT_DIFF_NEW;
    if (!row->sides[1].seen && row->sides[0].seen == diff->run_count[0])
        return PINSIGHT_DIFF_GONE;
    if (!diff->noise_known)
        return PINSIGHT_DIFF_UNCLEAR;
    if (!row->beyond[metric])
        return PINSIGHT_DIFF_SAME;
    return b > a ? PINSIGHT_DIFF_MORE : PINSIGHT_DIFF_LESS;
}

/* Returns whether single calls are known in all runs. */
static bool is_steady(const struct pinsight_diff *diff, const struct pinsight_diff_row *row) {
    for (size_t side = 0; side < 2; side++)
        if (!row->sides[side].values || !row->sides[side].stats[PINSIGHT_DIFF_STEADY].min)
            return false;
    return diff->run_count[0] && diff->run_count[1];
}

void pinsight_diff_count(const struct pinsight_diff *diff, struct pinsight_diff_row *row) {
    for (size_t side = 0; side < 2; side++) {
        size_t runs = diff->run_count[side];

        if (!row->sides[side].values)
            continue;
        for (size_t metric = 0; metric < PINSIGHT_DIFF_METRIC_COUNT; metric++) {
            uint64_t *sorted = pinsight_calloc(runs, sizeof(*sorted));

            for (size_t run = 0; run < runs; run++)
                sorted[run] = row->sides[side].values[metric * runs + run];
            row->sides[side].stats[metric] = pinsight_diff_stat(sorted, runs);
            free(sorted);
        }
    }
    row->steady = is_steady(diff, row);
}

void pinsight_diff_judge(const struct pinsight_diff *diff, struct pinsight_diff_row *row) {
    struct pinsight_diff_rule rule = diff->rule;

    /* If most calls take as long as before, the likelier cause is a few interrupted calls. */
    if (row->steady) {
        rule.factors.range *= 2;
        rule.factors.low *= 2;
    }
    for (size_t metric = 0; metric <= PINSIGHT_DIFF_WAIT; metric++)
        row->beyond[metric] = pinsight_diff_is_beyond(&rule, &row->sides[0].stats[metric],
                                                      &row->sides[1].stats[metric]);
    pinsight_diff_steady_judge(diff, row);
    if (row->basis == PINSIGHT_DIFF_ON_TOTAL)
        row->verdict = verdict_of(diff, row, PINSIGHT_DIFF_SELF);
    else
        row->verdict =
            pinsight_diff_judged_change(row) > 0 ? PINSIGHT_DIFF_MORE : PINSIGHT_DIFF_LESS;
    if (row->kind == PINSIGHT_DIFF_MPI)
        row->wait_verdict = verdict_of(diff, row, PINSIGHT_DIFF_WAIT);
}
