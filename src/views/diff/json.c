/* Writes a comparison as JSON; docs/diff-json.md describes it. FORMAT_VERSION rises with any change
 * that removes a member or gives it another meaning. */
#include "base/json.h"
#include "views/diff/state.h"
#include "views/kit/table.h"

#include "pinsight_version.h"

#include <math.h>

#define FORMAT_VERSION 1

/* Returns a ratio as a percentage: 1.2 is 20 % more. */
static double percent_of(double ratio) {
    return (ratio - 1) * 100;
}

static void write_has(struct pinsight_json *json, const struct pinsight_printing *printing,
                      const void *row) {
    const struct pinsight_diff_run *run = row;

    pinsight_json_open(json, "has", '{');
    for (size_t kind = 0; kind < PINSIGHT_DIFF_KIND_COUNT; kind++)
        pinsight_json_bool(json, pinsight_diff_kind_word((enum pinsight_diff_kind)kind),
                           run->has[kind]);
    pinsight_json_close(json, '}');
}

static struct pinsight_value slower(const void *view, const void *row) {
    double factor = ((const struct pinsight_diff_run *)row)->factor;

    return (struct pinsight_value){.none = !(factor > 0), .real = percent_of(factor)};
}

#define R(member) MEMBER(struct pinsight_diff_run, member)
static const struct pinsight_column run_columns[] = {
    FIELD(STRING, R, path),
    FIELD(TEXT, R, python),
    FIELDS(COUNT, R, processes, ranks),
    FIELDS(NS, R, duration_ns, recorded_ns),
    WRITER("has", write_has),
    FIELD(COUNT, R, discarded_events),
    FIELDS(BOOL, R, damaged, incomplete),
    GETTER("slower_percent", NULL, REAL, slower),
};

#define RUNS(side_key, side)                                                                       \
    {                                                                                              \
        .key = side_key, PINSIGHT_COLUMNS(run_columns),                                            \
        PINSIGHT_ROWS_IN(struct pinsight_diff, runs[side], run_count[side])                        \
    }
static const struct pinsight_table runs[] = {RUNS("a", 0), RUNS("b", 1)};

static void write_steady_rule(struct pinsight_json *json, const struct pinsight_diff *diff) {
    const struct pinsight_diff_rule *rule = &diff->relative_rule;

    if (!diff->noise_known || !diff->steady_rows) {
        pinsight_json_null(json, "steady");
        return;
    }
    pinsight_json_open(json, "steady", '{');
    pinsight_json_unsigned(json, "rows", diff->steady_rows);
    pinsight_json_real(json, "range_factor", rule->factors.range);
    pinsight_json_real(json, "low_factor", rule->factors.low);
    pinsight_json_unsigned(json, "least_ns", rule->least_ns);
    pinsight_json_real(json, "floor_percent", percent_of(exp(diff->steady_rule.floor.range)));
    pinsight_json_real(json, "relative_floor_percent", percent_of(exp(rule->floor.range)));
    if (diff->throughout > 0)
        pinsight_json_real(json, "throughout_percent", percent_of(diff->throughout));
    else
        pinsight_json_null(json, "throughout_percent");
    pinsight_json_close(json, '}');
}

static void write_rule(struct pinsight_json *json, const struct pinsight_diff *diff) {
    pinsight_json_bool(json, "noise_known", diff->noise_known);
    pinsight_json_open(json, "rule", '{');
    if (diff->noise_known)
        pinsight_json_real(json, "range_factor", diff->rule.factors.range);
    else
        pinsight_json_null(json, "range_factor");
    if (diff->rule.factors.low > 0)
        pinsight_json_real(json, "low_factor", diff->rule.factors.low);
    else
        pinsight_json_null(json, "low_factor");
    pinsight_json_real(json, "min_change_percent", diff->options.min_change);
    pinsight_json_real(json, "min_share_percent", diff->options.min_share);
    pinsight_json_unsigned(json, "least_ns", diff->rule.least_ns);
    pinsight_json_real(json, "floor_percent", percent_of(exp(diff->rule.floor.range)));
    write_steady_rule(json, diff);
    pinsight_json_close(json, '}');
}

static void write_stat(struct pinsight_json *json, const char *key,
                       const struct pinsight_diff_side *side, enum pinsight_diff_metric metric,
                       size_t runs) {
    const struct pinsight_diff_stat *stat = &side->stats[metric];

    pinsight_json_open(json, key, '{');
    pinsight_json_unsigned(json, "median", stat->median);
    pinsight_json_unsigned(json, "min", stat->min);
    pinsight_json_unsigned(json, "max", stat->max);
    pinsight_json_open(json, "runs", '[');
    for (size_t run = 0; run < runs; run++)
        pinsight_json_unsigned(json, NULL, side->values ? side->values[metric * runs + run] : 0);
    pinsight_json_close(json, ']');
    pinsight_json_close(json, '}');
}

static void write_metric(struct pinsight_json *json, const struct pinsight_diff *diff,
                         const struct pinsight_diff_row *row, const char *key,
                         enum pinsight_diff_metric metric) {
    uint64_t a = row->sides[0].stats[metric].median;
    int64_t change = pinsight_diff_change(row, metric);

    pinsight_json_open(json, key, '{');
    write_stat(json, "a", &row->sides[0], metric, diff->run_count[0]);
    write_stat(json, "b", &row->sides[1], metric, diff->run_count[1]);
    pinsight_json_signed(json, "change", change);
    if (a)
        pinsight_json_real(json, "change_percent", (double)change * 100 / (double)a);
    else
        pinsight_json_null(json, "change_percent");
    if (diff->noise_known)
        pinsight_json_bool(json, "beyond_noise", row->beyond[metric]);
    else
        pinsight_json_null(json, "beyond_noise");
    pinsight_json_close(json, '}');
}

static void write_relative(struct pinsight_json *json, const struct pinsight_diff_row *row) {
    const struct pinsight_diff_stat *a = &row->relative[0], *b = &row->relative[1];

    if (!a->median || !b->median) {
        pinsight_json_null(json, "relative_ns");
        return;
    }
    pinsight_json_open(json, "relative_ns", '{');
    for (size_t side = 0; side < 2; side++) {
        pinsight_json_open(json, side ? "b" : "a", '{');
        pinsight_json_unsigned(json, "median", row->relative[side].median);
        pinsight_json_unsigned(json, "min", row->relative[side].min);
        pinsight_json_unsigned(json, "max", row->relative[side].max);
        pinsight_json_close(json, '}');
    }
    pinsight_json_signed(json, "change", (int64_t)(b->median - a->median));
    pinsight_json_real(json, "change_percent", percent_of((double)b->median / (double)a->median));
    pinsight_json_close(json, '}');
}

static void write_place(struct pinsight_json *json, const char *key,
                        const struct pinsight_diff_side *side) {
    if (!side->seen) {
        pinsight_json_null(json, key);
        return;
    }
    pinsight_json_open(json, key, '{');
    pinsight_json_text(json, "file", side->file);
    if (side->line > 0)
        pinsight_json_signed(json, "line", side->line);
    else
        pinsight_json_null(json, "line");
    pinsight_json_unsigned(json, "runs", side->seen);
    pinsight_json_close(json, '}');
}

static void write_row(struct pinsight_json *json, const struct pinsight_diff *diff,
                      const struct pinsight_diff_row *row) {
    static const char *const bases[] = {"total", "steady", "relative"};

    pinsight_json_open(json, NULL, '{');
    pinsight_json_string(json, "kind", pinsight_diff_kind_word(row->kind));
    pinsight_json_string(json, "name", row->name);
    pinsight_json_text(json, "function", row->function);
    write_place(json, "a", &row->sides[0]);
    write_place(json, "b", &row->sides[1]);
    pinsight_json_string(json, "verdict", pinsight_diff_verdict_word(row->verdict));
    pinsight_json_bool(json, "waits", row->waits);
    pinsight_json_bool(json, "compared", row->compared);
    write_metric(json, diff, row, "calls", PINSIGHT_DIFF_CALLS);
    write_metric(json, diff, row, "total_ns", PINSIGHT_DIFF_TOTAL);
    write_metric(json, diff, row, "self_ns", PINSIGHT_DIFF_SELF);
    pinsight_json_string(json, "judged_by", bases[row->basis]);
    if (row->steady)
        write_metric(json, diff, row, "steady_ns", PINSIGHT_DIFF_STEADY);
    else
        pinsight_json_null(json, "steady_ns");
    write_relative(json, row);
    if (row->kind == PINSIGHT_DIFF_MPI) {
        pinsight_json_string(json, "wait_verdict", pinsight_diff_verdict_word(row->wait_verdict));
        write_metric(json, diff, row, "wait_ns", PINSIGHT_DIFF_WAIT);
    }
    pinsight_json_close(json, '}');
}

static void write_note(void *data, const char *sentence) {
    pinsight_json_string(data, NULL, sentence);
}

int pinsight_diff_json(const struct pinsight_diff *diff, FILE *out) {
    struct pinsight_printing printing = {.view = diff};
    struct pinsight_json json = {.out = out, .inline_depth = 3};
    const struct pinsight_diff_outcome outcome = pinsight_diff_outcome(diff);
    size_t changes = 0, waits = 0, shown = diff->row_count;

    for (size_t i = 0; i < diff->row_count; i++) {
        changes += pinsight_diff_is_work(&diff->rows[i]);
        waits += pinsight_diff_is_wait(&diff->rows[i]) && !pinsight_diff_is_work(&diff->rows[i]);
    }
    if (diff->options.limit > 0 && (uint64_t)diff->options.limit < shown)
        shown = (size_t)diff->options.limit;
    pinsight_json_open(&json, NULL, '{');
    pinsight_json_unsigned(&json, "format_version", FORMAT_VERSION);
    pinsight_json_string(&json, "pinsight_version", PINSIGHT_VERSION);
    for (size_t side = 0; side < 2; side++)
        pinsight_table_json(&runs[side], &printing, pinsight_table_rows(&runs[side], diff), 0,
                            &json);
    write_rule(&json, diff);
    pinsight_json_open(&json, "notes", '[');
    pinsight_diff_notes(diff, write_note, &json);
    pinsight_json_close(&json, ']');
    pinsight_json_unsigned(&json, "changes", changes);
    pinsight_json_unsigned(&json, "waiting_changes", waits);
    pinsight_json_signed(&json, "change_ns", outcome.change_ns);
    pinsight_json_real(&json, "change_percent", outcome.percent);
    pinsight_json_open(&json, "rows", '[');
    for (size_t i = 0; i < shown; i++)
        write_row(&json, diff, &diff->rows[i]);
    pinsight_json_close(&json, ']');
    pinsight_json_close(&json, '}');
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
