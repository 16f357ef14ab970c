/* Judges changes of single calls. Other work of a machine makes a few calls of a run slow, and some
 * very slow. Therefore totals differ between runs far more than the time of the fastest quarter of
 * the calls. docs/diff-json.md has the rule. */
#include "base/memory.h"
#include "views/diff/state.h"

#include <math.h>
#include <stdlib.h>

/* Fewer rows do not show whether a whole run was slow. */
#define ROWS 5
/* The ratio by which numbers of calls may differ. With more, a change of the mix of calls would
 * pass for a change of a call. */
#define CALLS 1.01
/* The ratio by which all of B has to be slower or faster before functions are judged one by one.
 * Copies of one program were 5 % apart throughout, while the runs of each agreed within 2 %. */
#define ALL 1.1
/* A difference of fewer standard errors may be chance. */
#define ERRORS 3

static uint64_t value(const struct pinsight_diff *diff, const struct pinsight_diff_row *row,
                      unsigned side, enum pinsight_diff_metric metric, size_t run) {
    return row->sides[side].values[metric * diff->run_count[side] + run];
}

/* Returns the time of a run's work without disturbances, for the side that takes more. The time is
 * the sum of steady times, and of the least self time of rows without one. Waiting is no work. */
static uint64_t steady_run_time(const struct pinsight_diff *diff) {
    uint64_t sums[2] = {0, 0};

    for (size_t i = 0; i < diff->row_count; i++) {
        const struct pinsight_diff_row *row = &diff->rows[i];

        if (row->waits ||
            (row->kind != PINSIGHT_DIFF_FUNCTION && row->kind != PINSIGHT_DIFF_C_CALL))
            continue;
        for (unsigned side = 0; side < 2; side++) {
            const struct pinsight_diff_stat *stats = row->sides[side].stats;

            sums[side] +=
                row->steady ? stats[PINSIGHT_DIFF_STEADY].median : stats[PINSIGHT_DIFF_SELF].min;
        }
    }
    return sums[0] > sums[1] ? sums[0] : sums[1];
}

static bool is_judged(const struct pinsight_diff *diff, const struct pinsight_diff_row *row) {
    return row->steady && row->compared && !row->waits &&
           (row->sides[0].stats[PINSIGHT_DIFF_STEADY].median >= diff->steady_rule.least_ns ||
            row->sides[1].stats[PINSIGHT_DIFF_STEADY].median >= diff->steady_rule.least_ns);
}

/* Returns the mean logarithm of the steady time, over a side's runs. */
static double mean_log(const struct pinsight_diff *diff, const struct pinsight_diff_row *row,
                       unsigned side) {
    double sum = 0;

    for (size_t run = 0; run < diff->run_count[side]; run++)
        sum += log((double)value(diff, row, side, PINSIGHT_DIFF_STEADY, run));
    return sum / (double)diff->run_count[side];
}

/* Returns the ratio of a metric to the steady time, as the median of a run's rows. */
static double disturbance(const struct pinsight_diff *diff, unsigned side, size_t run,
                          enum pinsight_diff_metric metric, double *ratios) {
    size_t count = 0;

    for (size_t i = 0; i < diff->row_count; i++)
        if (is_judged(diff, &diff->rows[i]))
            ratios[count++] = (double)value(diff, &diff->rows[i], side, metric, run) /
                              (double)value(diff, &diff->rows[i], side, PINSIGHT_DIFF_STEADY, run);
    return pinsight_diff_middle(ratios, count);
}

/* Returns whether all of B is slower or faster than all of A, beyond the differences between runs
 * of one side. */
static bool is_all_changed(const struct pinsight_diff *diff) {
    const struct pinsight_diff_rule strict = {.factors = diff->steady_rule.factors};
    struct pinsight_diff_stat stats[2];

    for (unsigned side = 0; side < 2; side++) {
        size_t runs = diff->run_count[side];
        uint64_t *values = pinsight_calloc(runs, sizeof(*values));

        for (size_t run = 0; run < runs; run++)
            values[run] = (uint64_t)(diff->runs[side][run].factor * 1e9);
        stats[side] = pinsight_diff_stat(values, runs);
        free(values);
    }
    return fabs(log(diff->throughout)) >= log(ALL) &&
           pinsight_diff_is_beyond(&strict, &stats[0], &stats[1]);
}

/* Computes the slowness of each run against the fastest, and of B against A, as medians of the
 * rows. A change of one function does not count, even if the function takes most of the run. */
static void find_factors(struct pinsight_diff *diff) {
    double *ratios = pinsight_calloc(diff->steady_rows, sizeof(*ratios)), fastest = HUGE_VAL;
    size_t count = 0;

    for (size_t i = 0; i < diff->row_count; i++)
        if (is_judged(diff, &diff->rows[i]))
            ratios[count++] = mean_log(diff, &diff->rows[i], 1) - mean_log(diff, &diff->rows[i], 0);
    diff->throughout = exp(pinsight_diff_middle(ratios, count));
    for (unsigned side = 0; side < 2; side++)
        for (size_t run = 0; run < diff->run_count[side]; run++) {
            double *factor = &diff->runs[side][run].factor;

            count = 0;
            for (size_t i = 0; i < diff->row_count; i++)
                if (is_judged(diff, &diff->rows[i]))
                    ratios[count++] =
                        log((double)value(diff, &diff->rows[i], side, PINSIGHT_DIFF_STEADY, run)) -
                        mean_log(diff, &diff->rows[i], side);
            *factor = exp(pinsight_diff_middle(ratios, count)) * (side ? diff->throughout : 1);
            if (*factor < fastest)
                fastest = *factor;
            diff->runs[side][run].disturbed =
                disturbance(diff, side, run, PINSIGHT_DIFF_SELF, ratios);
            diff->runs[side][run].disturbed_middle =
                disturbance(diff, side, run, PINSIGHT_DIFF_MIDDLE, ratios);
        }
    for (unsigned side = 0; side < 2; side++) {
        double least = HUGE_VAL, most = 0;

        for (size_t run = 0; run < diff->run_count[side]; run++) {
            diff->runs[side][run].factor /= fastest;
            least = fmin(least, diff->runs[side][run].factor);
            most = fmax(most, diff->runs[side][run].factor);
        }
        diff->apart = fmax(diff->apart, log(most / least));
    }
    diff->all_changed = is_all_changed(diff);
    free(ratios);
}

/* Returns the steady times of a side, divided by the slowness of each run. */
static struct pinsight_diff_stat relative(const struct pinsight_diff *diff,
                                          const struct pinsight_diff_row *row, unsigned side) {
    size_t runs = diff->run_count[side];
    uint64_t *values = pinsight_calloc(runs, sizeof(*values));
    struct pinsight_diff_stat stat;

    for (size_t run = 0; run < runs; run++)
        values[run] = (uint64_t)((double)value(diff, row, side, PINSIGHT_DIFF_STEADY, run) /
                                 diff->runs[side][run].factor);
    stat = pinsight_diff_stat(values, runs);
    free(values);
    return stat;
}

void pinsight_diff_steady_prepare(struct pinsight_diff *diff) {
    uint64_t share = (uint64_t)((double)steady_run_time(diff) * diff->options.min_share / 100);
    struct pinsight_diff_floors floors = {0}, relative_floors = {0};

    diff->steady_rule.least_ns = share > diff->options.min_ns ? share : diff->options.min_ns;
    for (size_t i = 0; i < diff->row_count; i++)
        diff->steady_rows += is_judged(diff, &diff->rows[i]);
    diff->steady_rule.factors =
        pinsight_diff_factors(diff->run_count[0], diff->run_count[1], diff->steady_rows);
    diff->relative_rule = diff->steady_rule;
    /* Without a comparison to other rows, the machine may have caused a change. */
    diff->steady_rule.factors.range *= 2;
    diff->steady_rule.factors.low *= 2;
    if (diff->noise_known && diff->steady_rows >= ROWS)
        find_factors(diff);
    for (size_t i = 0; i < diff->row_count; i++) {
        struct pinsight_diff_row *row = &diff->rows[i];

        if (!is_judged(diff, row))
            continue;
        pinsight_diff_floors_add(&floors, &row->sides[0].stats[PINSIGHT_DIFF_STEADY],
                                 &row->sides[1].stats[PINSIGHT_DIFF_STEADY]);
        for (unsigned side = 0; diff->throughout > 0 && side < 2; side++)
            row->relative[side] = relative(diff, row, side);
        pinsight_diff_floors_add(&relative_floors, &row->relative[0], &row->relative[1]);
    }
    diff->steady_rule.floor = pinsight_diff_floors_end(&floors, pinsight_diff_few_runs(diff));
    diff->relative_rule.floor =
        pinsight_diff_floors_end(&relative_floors, pinsight_diff_few_runs(diff));
}

/* Returns whether the numbers of calls of all runs agree. */
static bool are_calls_equal(const struct pinsight_diff_row *row) {
    const struct pinsight_diff_stat *a = &row->sides[0].stats[PINSIGHT_DIFF_CALLS];
    const struct pinsight_diff_stat *b = &row->sides[1].stats[PINSIGHT_DIFF_CALLS];
    uint64_t most = a->max > b->max ? a->max : b->max, least = a->min < b->min ? a->min : b->min;

    return (double)most <= CALLS * (double)least;
}

/* Returns whether B makes more calls than A, or fewer, consistently in every run. The whole self
 * time must show at least half of the change that the calls make. A call that gets faster because
 * there are more calls is no change. */
static bool are_calls_changed(const struct pinsight_diff_row *row) {
    const struct pinsight_diff_stat *stats[2] = {row->sides[0].stats, row->sides[1].stats};
    double steady = (double)stats[1][PINSIGHT_DIFF_STEADY].median -
                    (double)stats[0][PINSIGHT_DIFF_STEADY].median;
    double self =
        (double)stats[1][PINSIGHT_DIFF_SELF].median - (double)stats[0][PINSIGHT_DIFF_SELF].median;
    bool more = stats[1][PINSIGHT_DIFF_CALLS].min > stats[0][PINSIGHT_DIFF_CALLS].max;

    for (unsigned side = 0; side < 2; side++)
        if ((double)stats[side][PINSIGHT_DIFF_CALLS].max >
            CALLS * (double)stats[side][PINSIGHT_DIFF_CALLS].min)
            return false;
    return (steady > 0) == more && fabs(self) >= fabs(steady) / 2 && (self > 0) == more;
}

/* Returns whether the runs of a metric allow for half of a change, without their slowness and their
 * disturbances. */
static bool bears(const struct pinsight_diff *diff, const struct pinsight_diff_row *row,
                  enum pinsight_diff_metric metric, double change) {
    double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {0, 0};

    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < diff->run_count[side]; i++) {
            const struct pinsight_diff_run *run = &diff->runs[side][i];
            double ns = (double)value(diff, row, side, metric, i);

            if (run->factor > 0)
                ns /= metric == PINSIGHT_DIFF_SELF ? run->disturbed : run->disturbed_middle;
            if (row->basis == PINSIGHT_DIFF_ON_RELATIVE)
                ns /= run->factor;
            least[side] = fmin(least[side], ns);
            most[side] = fmax(most[side], ns);
        }
    return change > 0 ? most[1] - least[0] >= change / 2 : least[1] - most[0] <= change / 2;
}

/* Returns the standard error of the difference between two runs. */
static double error_of(const struct pinsight_diff_row *row) {
    return hypot((double)row->sides[0].stats[PINSIGHT_DIFF_ERROR].median,
                 (double)row->sides[1].stats[PINSIGHT_DIFF_ERROR].median);
}

/* Returns whether the difference on row->basis may be a change: it exceeds the noise and the user's
 * limits. */
static bool is_change(const struct pinsight_diff *diff, const struct pinsight_diff_row *row,
                      const struct pinsight_diff_rule *rule) {
    const struct pinsight_diff_stat *a = pinsight_diff_judged(row, 0);
    const struct pinsight_diff_stat *b = pinsight_diff_judged(row, 1);
    double change = (double)b->median - (double)a->median;

    return pinsight_diff_is_beyond(rule, a, b) && fabs(change) > ERRORS * error_of(row) &&
           pinsight_diff_is_large(diff, rule, a->median, b->median) &&
           fabs(change) * 100 >=
               diff->options.min_change * (double)row->sides[0].stats[PINSIGHT_DIFF_MIDDLE].min &&
           bears(diff, row, PINSIGHT_DIFF_MIDDLE, change) &&
           bears(diff, row, PINSIGHT_DIFF_SELF, change);
}

/* Returns whether a row can be compared with the others. A row that a slow machine does not affect
 * must not look faster beside affected rows. Therefore one of two conditions holds. The fastest
 * runs differ in the same direction, even unscaled. Or runs of one side differ as much as the sides
 * do. */
static bool is_comparable(const struct pinsight_diff *diff, const struct pinsight_diff_row *row) {
    uint64_t a = row->sides[0].stats[PINSIGHT_DIFF_STEADY].min;
    uint64_t b = row->sides[1].stats[PINSIGHT_DIFF_STEADY].min;

    return diff->apart >= fabs(log(diff->throughout)) ||
           ((b > a) == (row->relative[1].median > row->relative[0].median) &&
            pinsight_diff_is_large(diff, &diff->steady_rule, a, b));
}

void pinsight_diff_steady_judge(const struct pinsight_diff *diff, struct pinsight_diff_row *row) {
    const struct pinsight_diff_stat *a = &row->sides[0].stats[PINSIGHT_DIFF_STEADY];
    const struct pinsight_diff_stat *b = &row->sides[1].stats[PINSIGHT_DIFF_STEADY];

    if (!diff->noise_known || !is_judged(diff, row))
        return;
    row->beyond[PINSIGHT_DIFF_STEADY] = pinsight_diff_is_beyond(&diff->steady_rule, a, b);
    if (!are_calls_equal(row) && !are_calls_changed(row))
        return;
    row->basis = PINSIGHT_DIFF_ON_RELATIVE;
    if (diff->throughout > 0 && is_comparable(diff, row) &&
        is_change(diff, row, &diff->relative_rule))
        return;
    row->basis = PINSIGHT_DIFF_ON_STEADY;
    if ((diff->throughout <= 0 || diff->all_changed) && is_change(diff, row, &diff->steady_rule))
        return;
    row->basis = PINSIGHT_DIFF_ON_TOTAL;
}
