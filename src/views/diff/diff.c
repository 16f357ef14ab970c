/* Makes the rows of a comparison from the items of both sides. */
#include "views/diff/state.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

struct pinsight_diff *pinsight_diff_new(const struct pinsight_diff_options *options) {
    struct pinsight_diff *diff = pinsight_calloc(1, sizeof(*diff));

    diff->options = *options;
    pinsight_strings_add(&diff->strings, "", 0);
    return diff;
}

void pinsight_diff_free(struct pinsight_diff *diff) {
    if (!diff)
        return;
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < diff->run_count[side]; i++) {
            free(diff->runs[side][i].path);
            free(diff->runs[side][i].python);
        }
        for (size_t i = 0; i < diff->item_count[side]; i++)
            free(diff->items[side][i].values);
        free(diff->runs[side]);
        free(diff->items[side]);
        pinsight_map_clear(&diff->item_map[side]);
        for (size_t i = 0; i < diff->row_count; i++)
            free(diff->rows[i].sides[side].values);
    }
    PINSIGHT_MAPS_CLEAR(&diff->file_paths, &diff->file_keys, &diff->owner_map);
    PINSIGHT_FREE(diff->rows, diff->files, diff->owners);
    pinsight_strings_clear(&diff->strings);
    free(diff);
}

bool pinsight_diff_is_work(const struct pinsight_diff_row *row) {
    return row->verdict != PINSIGHT_DIFF_SAME && !row->waits;
}

bool pinsight_diff_is_wait(const struct pinsight_diff_row *row) {
    return row->wait_verdict != PINSIGHT_DIFF_SAME ||
           (row->waits && row->verdict != PINSIGHT_DIFF_SAME);
}

int64_t pinsight_diff_change(const struct pinsight_diff_row *row,
                             enum pinsight_diff_metric metric) {
    return (int64_t)(row->sides[1].stats[metric].median - row->sides[0].stats[metric].median);
}

const struct pinsight_diff_stat *pinsight_diff_judged(const struct pinsight_diff_row *row,
                                                      size_t side) {
    return row->basis == PINSIGHT_DIFF_ON_RELATIVE ? &row->relative[side]
           : row->basis == PINSIGHT_DIFF_ON_STEADY ? &row->sides[side].stats[PINSIGHT_DIFF_STEADY]
                                                   : &row->sides[side].stats[PINSIGHT_DIFF_SELF];
}

int64_t pinsight_diff_judged_change(const struct pinsight_diff_row *row) {
    return (int64_t)(pinsight_diff_judged(row, 1)->median - pinsight_diff_judged(row, 0)->median);
}

const char *pinsight_diff_kind_word(enum pinsight_diff_kind kind) {
    static const char *const words[] = {"function", "c_call", "region", "mpi", "marked"};

    return words[kind];
}

const char *pinsight_diff_verdict_word(enum pinsight_diff_verdict verdict) {
    static const char *const words[] = {"same", "more", "less", "new", "gone", "unclear"};

    return words[verdict];
}

/* Returns the median, over a side's runs, of the time that shares refer to. */
static uint64_t run_time(const struct pinsight_diff *diff, unsigned side) {
    size_t count = diff->run_count[side];
    uint64_t *values = pinsight_calloc(count, sizeof(*values)), median;

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_diff_run *run = &diff->runs[side][i];

        values[i] = run->recorded_ns ? run->recorded_ns : run->duration_ns;
    }
    median = pinsight_diff_stat(values, count).median;
    free(values);
    return median;
}

static bool is_in(const struct pinsight_diff *diff, unsigned side, enum pinsight_diff_kind kind) {
    for (size_t i = 0; i < diff->run_count[side]; i++)
        if (diff->runs[side][i].has[kind])
            return true;
    return false;
}

/* Fills in a side's part of a row. The values are copied without the room for further runs. */
static void fill_side(const struct pinsight_diff *diff, struct pinsight_diff_row *row,
                      unsigned side, const struct pinsight_diff_item *item) {
    const struct pinsight_diff_owner *owner = &diff->owners[item->owner];
    size_t runs = diff->run_count[side], most = diff->run_capacity[side];
    struct pinsight_diff_side *to = &row->sides[side];
    uint32_t path = PINSIGHT_DIFF_NONE;

    if (owner->file != PINSIGHT_DIFF_NONE)
        path = diff->files[owner->file].paths[side];
    row->kind = item->kind;
    row->name = pinsight_strings_text(&diff->strings, item->name);
    row->waits = item->waits;
    if (item->kind != PINSIGHT_DIFF_FUNCTION && diff->owners[item->owner].name)
        row->function = pinsight_strings_text(&diff->strings, owner->name);
    to->file = path == PINSIGHT_DIFF_NONE ? "" : pinsight_strings_text(&diff->strings, path);
    to->line = item->line;
    to->seen = item->seen;
    to->values = pinsight_calloc(runs * PINSIGHT_DIFF_METRIC_COUNT, sizeof(*to->values));
    for (size_t metric = 0; metric < PINSIGHT_DIFF_METRIC_COUNT; metric++)
        memcpy(to->values + metric * runs, item->values + metric * most,
               runs * sizeof(*to->values));
}

static void make_rows(struct pinsight_diff *diff) {
    uint32_t *partner = pinsight_calloc(diff->item_count[0] + 1, sizeof(*partner));
    bool *taken = pinsight_calloc(diff->item_count[1] + 1, sizeof(*taken));

    pinsight_diff_match(diff, partner);
    diff->rows =
        pinsight_calloc(diff->item_count[0] + diff->item_count[1] + 1, sizeof(*diff->rows));
    for (size_t i = 0; i < diff->item_count[0]; i++) {
        struct pinsight_diff_row *row = &diff->rows[diff->row_count++];

        fill_side(diff, row, 0, &diff->items[0][i]);
        if (partner[i] != PINSIGHT_DIFF_NONE) {
            fill_side(diff, row, 1, &diff->items[1][partner[i]]);
            taken[partner[i]] = true;
        }
    }
    for (size_t i = 0; i < diff->item_count[1]; i++)
        if (!taken[i])
            fill_side(diff, &diff->rows[diff->row_count++], 1, &diff->items[1][i]);
    free(partner);
    free(taken);
}

static uint64_t magnitude(int64_t change) {
    return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static const char *file_of(const struct pinsight_diff_row *row) {
    return row->sides[1].file ? row->sides[1].file : row->sides[0].file;
}

static int32_t line_of(const struct pinsight_diff_row *row) {
    return row->sides[1].file ? row->sides[1].line : row->sides[0].line;
}

/* Returns the key that rows are sorted by. */
static uint64_t key_of(const struct pinsight_diff_row *row, enum pinsight_diff_sort sort,
                       bool waiting) {
    enum pinsight_diff_metric metric = sort == PINSIGHT_DIFF_BY_TOTAL   ? PINSIGHT_DIFF_TOTAL
                                       : sort == PINSIGHT_DIFF_BY_CALLS ? PINSIGHT_DIFF_CALLS
                                                                        : PINSIGHT_DIFF_SELF;

    if (sort == PINSIGHT_DIFF_BY_NAME)
        return 0;
    if (waiting && metric == PINSIGHT_DIFF_SELF && row->kind == PINSIGHT_DIFF_MPI)
        metric = PINSIGHT_DIFF_WAIT;
    if (metric == PINSIGHT_DIFF_SELF)
        return magnitude(pinsight_diff_judged_change(row));
    return magnitude(pinsight_diff_change(row, metric));
}

/* Sorts changes of work first, then of waiting, then the rest. Within each, the user's option
 * decides. */
static int in_order(const void *left, const void *right, void *options) {
    const struct pinsight_diff_row *a = left, *b = right;
    enum pinsight_diff_sort sort = ((const struct pinsight_diff_options *)options)->sort;
    int a_class = pinsight_diff_is_work(a) ? 0 : pinsight_diff_is_wait(a) ? 1 : 2;
    int b_class = pinsight_diff_is_work(b) ? 0 : pinsight_diff_is_wait(b) ? 1 : 2;
    uint64_t a_key = key_of(a, sort, a_class == 1), b_key = key_of(b, sort, b_class == 1);

    return BY(a_class, b_class) ?: BY(b_key, a_key) ?: strcmp(a->name, b->name)
        ?: strcmp(file_of(a), file_of(b)) ?: BY(line_of(a), line_of(b)) ?: BY(a->kind, b->kind);
}

void pinsight_diff_finish(struct pinsight_diff *diff) {
    struct pinsight_diff_floors floors = {0};
    uint64_t share, larger;
    size_t large = 0;

    make_rows(diff);
    for (unsigned side = 0; side < 2; side++)
        diff->run_ns[side] = run_time(diff, side);
    larger = diff->run_ns[0] > diff->run_ns[1] ? diff->run_ns[0] : diff->run_ns[1];
    share = (uint64_t)((double)larger * diff->options.min_share / 100);
    diff->rule.least_ns = share > diff->options.min_ns ? share : diff->options.min_ns;
    for (size_t i = 0; i < diff->row_count; i++) {
        struct pinsight_diff_row *row = &diff->rows[i];

        row->compared = is_in(diff, 0, row->kind) && is_in(diff, 1, row->kind);
        pinsight_diff_count(diff, row);
        if (!row->compared ||
            (row->sides[0].stats[PINSIGHT_DIFF_SELF].median < diff->rule.least_ns &&
             row->sides[1].stats[PINSIGHT_DIFF_SELF].median < diff->rule.least_ns))
            continue;
        large++;
        if (!row->waits)
            pinsight_diff_floors_add(&floors, &row->sides[0].stats[PINSIGHT_DIFF_SELF],
                                     &row->sides[1].stats[PINSIGHT_DIFF_SELF]);
    }
    diff->rule.factors = pinsight_diff_factors(diff->run_count[0], diff->run_count[1], large);
    diff->rule.floor = pinsight_diff_floors_end(&floors, 2 * pinsight_diff_few_runs(diff));
    diff->noise_known = diff->rule.factors.range > 0;
    pinsight_diff_steady_prepare(diff);
    for (size_t i = 0; i < diff->row_count; i++)
        pinsight_diff_judge(diff, &diff->rows[i]);
    qsort_r(diff->rows, diff->row_count, sizeof(*diff->rows), in_order, &diff->options);
}
