/* A comparison for people. */
#include "reader/mem.h"
#include "views/cells.h"
#include "views/diff_state.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a table, unless a number is asked for. */
#define ROWS 15
/* Columns from which on the change of total time has room. */
#define WIDE 110

struct printing {
    const struct pinsight_diff *diff;
    FILE *out;
};

static void print_side(const struct pinsight_diff *diff, FILE *out, unsigned side) {
    char median[PINSIGHT_UNITS_SIZE], low[PINSIGHT_UNITS_SIZE], high[PINSIGHT_UNITS_SIZE];
    size_t count = diff->run_count[side];
    uint64_t *values = pinsight_calloc(count, sizeof(*values));
    char *names = pinsight_strdup(""), *text, *mark;
    struct pinsight_diff_stat stat;

    for (size_t i = 0; i < count; i++) {
        char *clean = pinsight_text_clean(diff->runs[side][i].path);
        char *longer = pinsight_format("%s%s%s", names, i ? ", " : "", clean);

        free(clean);
        free(names);
        names = longer;
        values[i] = diff->runs[side][i].duration_ns;
    }
    stat = pinsight_diff_stat(values, count);
    pinsight_units_time(median, stat.median);
    if (count > 1)
        text = pinsight_format("%s (%s to %s), %zu runs: %s", median,
                               pinsight_units_time(low, stat.min),
                               pinsight_units_time(high, stat.max), count, names);
    else
        text = pinsight_format("%s, one run: %s", median, names);
    mark = pinsight_format("%c  ", "AB"[side]);
    pinsight_paragraph(out, diff->options.colour, PINSIGHT_PLAIN, diff->options.width, mark, text);
    free(mark);
    free(text);
    free(names);
    free(values);
}

static void say(void *data, const char *sentence) {
    const struct printing *printing = data;
    char *clean = pinsight_text_clean(sentence);

    pinsight_paragraph(printing->out, printing->diff->options.colour, PINSIGHT_WARN,
                       printing->diff->options.width, "!  ", clean);
    free(clean);
}

/* "+412 ms" */
static char *signed_time(int64_t change) {
    char buffer[PINSIGHT_UNITS_SIZE];
    uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;

    return pinsight_format("%s%s",
                           change > 0   ? "+"
                           : change < 0 ? "-"
                                        : "",
                           pinsight_units_time(buffer, size));
}

/* "+20.1", "new" */
static char *relative(const struct pinsight_diff_row *row, uint64_t a, int64_t change) {
    if (!row->sides[0].seen)
        return pinsight_strdup("new");
    if (!row->sides[1].seen)
        return pinsight_strdup("gone");
    if (!a)
        return pinsight_strdup("");
    double percent = (double)change * 100 / (double)a;
    return percent >= 1000
               ? pinsight_format("x%.0f", percent / 100 + 1)
               : pinsight_format("%+.*f", percent < 99.95 && percent > -99.95 ? 1 : 0, percent);
}

/* What the runs of one side differ by, the larger of both; where a change was seen in spite of
 * that, what the faster half differs by. */
static void noise_cell(const struct pinsight_diff *diff, struct pinsight_table *table, bool beyond,
                       const struct pinsight_diff_stat *a, const struct pinsight_diff_stat *b) {
    uint64_t range = a->high - a->low > b->high - b->low ? a->high - a->low : b->high - b->low;
    uint64_t change = a->median < b->median ? b->median - a->median : a->median - b->median;

    if (beyond && change <= range)
        range = pinsight_diff_low_noise(a, b);
    if (diff->noise_known)
        pinsight_time_cell(table, range);
    else
        pinsight_table_cell(table, pinsight_strdup("?"));
}

/* "64,000", or "64,000 > 80,000" */
static char *calls_text(const struct pinsight_diff_row *row) {
    char a[PINSIGHT_UNITS_SIZE], b[PINSIGHT_UNITS_SIZE];
    uint64_t before = row->sides[0].stats[PINSIGHT_DIFF_CALLS].median;
    uint64_t after = row->sides[1].stats[PINSIGHT_DIFF_CALLS].median;

    pinsight_units_count(a, before);
    pinsight_units_count(b, after);
    if (before == after || !row->sides[0].seen)
        return pinsight_strdup(b);
    return row->sides[1].seen ? pinsight_format("%s > %s", a, b) : pinsight_strdup(a);
}

/* What a call takes undisturbed, where the row was judged by that. */
static void call_cell(struct pinsight_table *table, const struct pinsight_diff_row *row,
                      size_t side) {
    uint64_t calls = row->sides[side].stats[PINSIGHT_DIFF_CALLS].median;

    if (row->basis != PINSIGHT_DIFF_ON_TOTAL && calls)
        pinsight_time_cell(table, pinsight_diff_judged(row, side)->median / calls);
    else
        pinsight_table_cell(table, pinsight_strdup(""));
}

static void place_cell(struct pinsight_table *table, const struct pinsight_diff_row *row) {
    const struct pinsight_diff_side *side = &row->sides[row->sides[1].file ? 1 : 0];
    char *place = pinsight_text_place(side->file, side->line);

    if (row->function && row->kind != PINSIGHT_DIFF_FUNCTION) {
        char *function = pinsight_text_clean(row->function);
        char *both = pinsight_format("%s%s%s", function, place[0] ? " " : "", place);

        free(function);
        free(place);
        place = both;
    }
    pinsight_table_cell(table, place);
}

static const char *kind_text(const struct pinsight_diff_row *row) {
    static const char *const words[] = {"Python", "C", "OpenMP", "MPI"};

    return words[row->kind];
}

static void print_table(const struct pinsight_diff *diff, FILE *out,
                        const struct pinsight_diff_row *const *rows, size_t count, bool waiting) {
    struct pinsight_table table = {.colour = diff->options.colour, .width = diff->options.width};
    const char *what = waiting ? "wait" : "self";
    bool with_total = diff->options.width >= WIDE || diff->options.sort == PINSIGHT_DIFF_BY_TOTAL;
    bool with_calls = false;
    char heads[2][16];

    for (size_t i = 0; i < count; i++)
        with_calls |= rows[i]->basis != PINSIGHT_DIFF_ON_TOTAL;
    snprintf(heads[0], sizeof(heads[0]), "A %s", what);
    snprintf(heads[1], sizeof(heads[1]), "B %s", what);
    pinsight_table_column(&table, "change", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "noise", PINSIGHT_RIGHT, PINSIGHT_DIM);
    pinsight_table_column(&table, heads[0], PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, heads[1], PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (with_calls) {
        pinsight_table_column(&table, "A call", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "B call", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    }
    if (with_total)
        pinsight_table_column(&table, "total", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "in", PINSIGHT_LEFT, PINSIGHT_DIM);
    pinsight_table_column(&table, "name", PINSIGHT_FLEXIBLE, PINSIGHT_BOLD);
    pinsight_table_column(&table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < count; i++) {
        const struct pinsight_diff_row *row = rows[i];
        enum pinsight_diff_metric metric =
            waiting && row->kind == PINSIGHT_DIFF_MPI ? PINSIGHT_DIFF_WAIT : PINSIGHT_DIFF_SELF;

        bool self = metric == PINSIGHT_DIFF_SELF;
        const struct pinsight_diff_stat *a =
            self ? pinsight_diff_judged(row, 0) : &row->sides[0].stats[metric];
        const struct pinsight_diff_stat *b =
            self ? pinsight_diff_judged(row, 1) : &row->sides[1].stats[metric];
        int64_t change = (int64_t)(b->median - a->median);

        pinsight_table_cell(&table, signed_time(change));
        pinsight_table_cell(&table, relative(row, a->median, change));
        noise_cell(diff, &table, row->basis != PINSIGHT_DIFF_ON_TOTAL || row->beyond[metric], a, b);
        for (size_t side = 0; side < 2; side++)
            if (row->sides[side].seen)
                pinsight_time_cell(&table, row->sides[side].stats[metric].median);
            else
                pinsight_table_cell(&table, pinsight_strdup("-"));
        for (size_t side = 0; with_calls && side < 2; side++)
            call_cell(&table, row, side);
        if (with_total)
            pinsight_table_cell(&table,
                                signed_time(pinsight_diff_change(row, PINSIGHT_DIFF_TOTAL)));
        pinsight_table_cell(&table, calls_text(row));
        pinsight_table_cell(&table, pinsight_strdup(kind_text(row)));
        pinsight_table_cell(&table, pinsight_text_clean(row->name));
        place_cell(&table, row);
    }
    pinsight_table_print(&table, out);
}

static bool is_same(const struct pinsight_diff_row *row) {
    return !pinsight_diff_is_work(row) && !pinsight_diff_is_wait(row);
}

/* A section of the rows that belong into it; nothing without rows. Returns how many there are. */
static size_t print_section(const struct pinsight_diff *diff, FILE *out, const char *title,
                            const char *remark, bool (*belongs)(const struct pinsight_diff_row *),
                            bool waiting) {
    const struct pinsight_diff_row **rows = pinsight_calloc(diff->row_count + 1, sizeof(*rows));
    size_t limit = diff->options.limit < 0 ? (size_t)ROWS : (size_t)diff->options.limit;
    size_t count = 0, shown;

    for (size_t i = 0; i < diff->row_count; i++)
        if (belongs(&diff->rows[i]))
            rows[count++] = &diff->rows[i];
    shown = pinsight_rows_shown(count, limit);
    if (!count) {
        free(rows);
        return 0;
    }
    putc('\n', out);
    pinsight_styled(out, diff->options.colour, PINSIGHT_BOLD, "%s", title);
    pinsight_styled(out, diff->options.colour, PINSIGHT_DIM, "  %s", remark);
    if (shown < count)
        pinsight_styled(out, diff->options.colour, PINSIGHT_DIM,
                        ", %zu of %zu (--limit 0 shows all)", shown, count);
    putc('\n', out);
    print_table(diff, out, rows, shown, waiting);
    for (size_t i = 0; i < shown; i++)
        if (rows[i]->basis != PINSIGHT_DIFF_ON_TOTAL) {
            pinsight_paragraph(out, diff->options.colour, PINSIGHT_DIM, diff->options.width, "",
                               "A call, B call: the self time of a call, in the fastest quarter of "
                               "the calls and on the fastest run. Where it stands, the change is "
                               "in that, times the calls, which is steadier than the whole.");
            break;
        }
    free(rows);
    return count;
}

/* Where nothing changed: what was looked at, and the largest difference that is none. */
static void print_none(const struct pinsight_diff *diff, FILE *out) {
    const struct pinsight_diff_row *row = diff->row_count ? &diff->rows[0] : NULL;
    char least[PINSIGHT_UNITS_SIZE];
    char *text = pinsight_format(
        "No change. Nothing takes more or less time than its runs differ by, by %s (%g %% of the "
        "run) and %g %% of its own time or more.",
        pinsight_units_time(least, diff->rule.least_ns), diff->options.min_share,
        diff->options.min_change);

    putc('\n', out);
    pinsight_paragraph(out, diff->options.colour, PINSIGHT_BOLD, diff->options.width, "", text);
    free(text);
    if (!row || diff->options.sort != PINSIGHT_DIFF_BY_SELF ||
        !pinsight_diff_change(row, PINSIGHT_DIFF_SELF))
        return;
    char *change = signed_time(pinsight_diff_change(row, PINSIGHT_DIFF_SELF));
    char *name = pinsight_text_clean(row->name);
    char *percent = relative(row, row->sides[0].stats[PINSIGHT_DIFF_SELF].median,
                             pinsight_diff_change(row, PINSIGHT_DIFF_SELF));
    bool number = percent[0] == '+' || percent[0] == '-';

    text = pinsight_format("The largest difference is that of %s: %s%s%s%s.", name, change,
                           number ? ", " : "", number ? percent : "", number ? " %" : "");
    pinsight_paragraph(out, diff->options.colour, PINSIGHT_DIM, diff->options.width, "", text);
    free(text);
    free(change);
    free(name);
    free(percent);
}

int pinsight_diff_text(const struct pinsight_diff *diff, FILE *out) {
    struct printing printing = {diff, out};
    size_t changes;

    errno = 0;
    print_side(diff, out, 0);
    print_side(diff, out, 1);
    pinsight_diff_notes(diff, say, &printing);
    changes = print_section(diff, out, diff->noise_known ? "Changes" : "Differences",
                            diff->noise_known ? "larger than the noise, medians of the runs"
                                              : "of one run from another",
                            pinsight_diff_is_work, false);
    changes += print_section(
        diff, out, diff->noise_known ? "Waiting that changed" : "Waiting that differs",
        "what is waited for has changed, not these", pinsight_diff_is_wait, true);
    if (!changes)
        print_none(diff, out);
    if (diff->options.all)
        print_section(diff, out, diff->noise_known ? "No change" : "No difference",
                      "within the noise, or too small", is_same, false);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
