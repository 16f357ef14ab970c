/* Writes a comparison for people. */
#include "base/text.h"
#include "base/memory.h"
#include "base/units.h"
#include "views/diff/state.h"
#include "views/kit/table.h"
#include "views/report/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The default number of rows in a table. */
#define ROWS 15
/* The least width that has room for the change of total time. */
#define WIDE 110

struct diff_printing {
    const struct pinsight_diff *diff;
    FILE *out;
};

static void print_side(const struct pinsight_diff *diff, FILE *out, unsigned side) {
    size_t count = diff->run_count[side];
    uint64_t *values = pinsight_calloc(count, sizeof(*values));
    char *names = NULL, *mark = pinsight_format("%c  ", "AB"[side]);
    struct pinsight_diff_stat stat;

    for (size_t i = 0; i < count; i++) {
        char *clean = pinsight_text_clean(diff->runs[side][i].path);

        pinsight_append(&names, "%s%s", i ? ", " : "", clean);
        free(clean);
        values[i] = diff->runs[side][i].duration_ns;
    }
    if (diff->options.names[side]) {
        free(names);
        names = pinsight_text_clean(diff->options.names[side]);
    }
    stat = pinsight_diff_stat(values, count);
    if (count > 1)
        pinsight_paragraph(out, false, PINSIGHT_PLAIN, diff->options.width, mark,
                           "%s (%s to %s), %zu runs: %s", pinsight_units_time(stat.median).text,
                           pinsight_units_time(stat.min).text, pinsight_units_time(stat.max).text,
                           count, names);
    else
        pinsight_paragraph(out, false, PINSIGHT_PLAIN, diff->options.width, mark, "%s, one run: %s",
                           pinsight_units_time(stat.median).text, names);
    PINSIGHT_FREE(mark, names, values);
}

static void print_note(void *data, const char *sentence) {
    const struct diff_printing *printing = data;
    char *clean = pinsight_text_clean(sentence);

    pinsight_paragraph(printing->out, printing->diff->options.colour, PINSIGHT_WARN,
                       printing->diff->options.width, "!  ", "%s", clean);
    free(clean);
}

/* Returns a change such as "+412 ms". */
static char *signed_time(int64_t change) {
    uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;

    return pinsight_format("%s%s",
                           change > 0   ? "+"
                           : change < 0 ? "-"
                                        : "",
                           pinsight_units_time(size).text);
}

/* Returns a relative change such as "+20.1" or "new". */
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

/* A table of rows, for its getters. */
struct diff_table {
    const struct pinsight_diff *diff;
    bool waiting;   /* shows time in wait states, for rows that have it */
    bool has_calls; /* a row is judged by the time of an undisturbed call */
};

static enum pinsight_diff_metric metric_of(const struct diff_table *table,
                                           const struct pinsight_diff_row *row) {
    return table->waiting && row->kind == PINSIGHT_DIFF_MPI ? PINSIGHT_DIFF_WAIT
                                                            : PINSIGHT_DIFF_SELF;
}

static const struct pinsight_diff_stat *stat_of(const void *view, const void *row, size_t side) {
    const struct pinsight_diff_row *r = row;
    enum pinsight_diff_metric metric = metric_of(view, r);

    return metric == PINSIGHT_DIFF_SELF ? pinsight_diff_judged(r, side)
                                        : &r->sides[side].stats[metric];
}

static int64_t change_of(const void *view, const void *row) {
    return (int64_t)(stat_of(view, row, 1)->median - stat_of(view, row, 0)->median);
}

static struct pinsight_value change(const void *view, const void *row) {
    return pinsight_value_owned(signed_time(change_of(view, row)));
}

static struct pinsight_value percent(const void *view, const void *row) {
    return pinsight_value_owned(relative(row, stat_of(view, row, 0)->median, change_of(view, row)));
}

/* Returns the larger of both sides' ranges. If a change was found in spite of the range, returns
 * the distance of the faster half. */
static struct pinsight_value noise(const void *view, const void *row) {
    const struct diff_table *table = view;
    const struct pinsight_diff_row *r = row;
    const struct pinsight_diff_stat *a = stat_of(view, row, 0), *b = stat_of(view, row, 1);
    uint64_t range = a->high - a->low > b->high - b->low ? a->high - a->low : b->high - b->low;
    uint64_t size = a->median < b->median ? b->median - a->median : a->median - b->median;

    if ((r->basis != PINSIGHT_DIFF_ON_TOTAL || r->beyond[metric_of(table, r)]) && size <= range)
        range = pinsight_diff_low_noise(a, b);
    return (struct pinsight_value){.none = !table->diff->noise_known, .number = range};
}

static struct pinsight_value side_time(const void *view, const struct pinsight_diff_row *row,
                                       size_t side) {
    return (struct pinsight_value){.none = !row->sides[side].seen,
                                   .number = row->sides[side].stats[metric_of(view, row)].median};
}

static struct pinsight_value time_of_a(const void *view, const void *row) {
    return side_time(view, row, 0);
}

static struct pinsight_value time_of_b(const void *view, const void *row) {
    return side_time(view, row, 1);
}

/* Returns the time of an undisturbed call, if the row is judged by it. */
static struct pinsight_value side_call(const struct pinsight_diff_row *row, size_t side) {
    uint64_t calls = row->sides[side].stats[PINSIGHT_DIFF_CALLS].median;

    return row->basis != PINSIGHT_DIFF_ON_TOTAL && calls
               ? pinsight_value_number(pinsight_diff_judged(row, side)->median / calls)
               : pinsight_value_none();
}

static struct pinsight_value call_of_a(const void *view, const void *row) {
    return side_call(row, 0);
}

static struct pinsight_value call_of_b(const void *view, const void *row) {
    return side_call(row, 1);
}

static struct pinsight_value total(const void *view, const void *row) {
    return pinsight_value_owned(signed_time(pinsight_diff_change(row, PINSIGHT_DIFF_TOTAL)));
}

/* Returns a number such as "64,000", or a change such as "64,000 > 80,000". */
static struct pinsight_value calls(const void *view, const void *row) {
    const struct pinsight_diff_side *sides = ((const struct pinsight_diff_row *)row)->sides;
    uint64_t before = sides[0].stats[PINSIGHT_DIFF_CALLS].median;
    uint64_t after = sides[1].stats[PINSIGHT_DIFF_CALLS].median;

    if (before == after || !sides[0].seen || !sides[1].seen)
        return pinsight_value_owned(
            pinsight_strdup(pinsight_units_count(sides[0].seen ? before : after).text));
    return pinsight_value_owned(pinsight_format("%s > %s", pinsight_units_count(before).text,
                                                pinsight_units_count(after).text));
}

static struct pinsight_value place(const void *view, const void *row) {
    const struct pinsight_diff_row *r = row;
    const struct pinsight_diff_side *side = &r->sides[r->sides[1].file ? 1 : 0];
    char *place = pinsight_text_place(side->file, side->line), *both;

    if (!r->function || r->kind == PINSIGHT_DIFF_FUNCTION)
        return pinsight_value_owned(place);
    both = pinsight_text_clean(r->function);
    pinsight_append(&both, "%s%s", place[0] ? " " : "", place);
    free(place);
    return pinsight_value_owned(both);
}

static const char *kind_text(unsigned kind) {
    static const char *const words[] = {"Python", "C", "OpenMP", "MPI", "User"};

    return words[kind];
}

static bool has_total(const void *view) {
    const struct pinsight_diff_options *options = &((const struct diff_table *)view)->diff->options;

    return options->width >= WIDE || options->sort == PINSIGHT_DIFF_BY_TOTAL;
}

static bool has_calls(const void *view) {
    return ((const struct diff_table *)view)->has_calls;
}

static bool is_waiting(const void *view) {
    return ((const struct diff_table *)view)->waiting;
}

static bool is_self(const void *view) {
    return !is_waiting(view);
}

#define R(member) MEMBER(struct pinsight_diff_row, member)
static const struct pinsight_column columns[] = {
    GETTER("change", "change", TEXT, change, .style = PINSIGHT_BOLD),
    GETTER("percent", "%", TEXT, percent),
    GETTER("noise", "noise", NS, noise, .none = "?", .style = PINSIGHT_DIM),
    GETTER("a_self", "A self", NS, time_of_a, .shown = is_self),
    GETTER("b_self", "B self", NS, time_of_b, .shown = is_self),
    GETTER("a_wait", "A wait", NS, time_of_a, .shown = is_waiting),
    GETTER("b_wait", "B wait", NS, time_of_b, .shown = is_waiting),
    GETTER("a_call", "A call", NS, call_of_a, .none = "", .shown = has_calls),
    GETTER("b_call", "B call", NS, call_of_b, .none = "", .shown = has_calls),
    GETTER("total", "total", TEXT, total, .shown = has_total),
    GETTER("calls", "calls", TEXT, calls),
    COLUMN("kind", "in", WORD, R(kind), .word = kind_text, .align = PINSIGHT_LEFT,
           .style = PINSIGHT_DIM),
    COLUMN("name", "name", STRING, R(name), NAMES_IN(BOLD)),
    GETTER("place", "where", TEXT, place, NAMES_IN(DIM)),
};

static const struct pinsight_table table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "change percent noise a_self b_self a_wait b_wait a_call b_call total calls kind "
              "name place",
};

/* Writes a table. Returns whether it has the columns of calls. */
static bool print_table(const struct pinsight_diff *diff, FILE *out,
                        const struct pinsight_diff_row **rows, size_t count, bool waiting) {
    struct diff_table view = {.diff = diff, .waiting = waiting};
    struct pinsight_printing printing = {
        .view = &view, .colour = diff->options.colour, .width = diff->options.width};

    for (size_t i = 0; i < count; i++)
        view.has_calls |= rows[i]->basis != PINSIGHT_DIFF_ON_TOTAL;
    pinsight_table_screen(&table, &printing, PINSIGHT_ROW_POINTERS(rows, count), 0, out);
    return view.has_calls;
}

static bool is_same(const struct pinsight_diff_row *row) {
    return !pinsight_diff_is_work(row) && !pinsight_diff_is_wait(row);
}

/* Writes a section with the rows that belong to it, and nothing without rows. Returns the number of
 * rows. */
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
    char *text = shown == count ? pinsight_strdup(remark)
                                : pinsight_format("%s, %zu of %zu (--limit 0 shows all)", remark,
                                                  shown, count);

    pinsight_title(out, diff->options.colour, diff->options.width, title, text);
    free(text);
    if (print_table(diff, out, rows, shown, waiting))
        pinsight_paragraph(out, diff->options.colour, PINSIGHT_DIM, diff->options.width, "",
                           "A call, B call: the self time of a call, in the fastest quarter of the "
                           "calls and on the fastest run. If it is there, the change is that of "
                           "one call, times the calls, which is steadier than the whole.");
    free(rows);
    return count;
}

static void print_sentence(const struct pinsight_diff *diff, FILE *out) {
    char *sentence = pinsight_diff_sentence(diff);

    if (!sentence)
        return;
    putc('\n', out);
    pinsight_paragraph(out, diff->options.colour, PINSIGHT_BOLD, diff->options.width, "", "%s.",
                       sentence);
    free(sentence);
}

/* Writes that nothing changed, with the limits, and the largest difference below them. */
static void print_none(const struct pinsight_diff *diff, FILE *out) {
    const struct pinsight_diff_row *row = diff->row_count ? &diff->rows[0] : NULL;

    putc('\n', out);
    pinsight_paragraph(out, diff->options.colour, PINSIGHT_BOLD, diff->options.width, "",
                       "No change. Nothing takes more or less time than its runs differ by, by %s "
                       "(%g %% of the run) and %g %% of its own time or more.",
                       pinsight_units_time(diff->rule.least_ns).text, diff->options.min_share,
                       diff->options.min_change);
    if (!row || diff->options.sort != PINSIGHT_DIFF_BY_SELF ||
        !pinsight_diff_change(row, PINSIGHT_DIFF_SELF))
        return;
    char *change = signed_time(pinsight_diff_change(row, PINSIGHT_DIFF_SELF));
    char *name = pinsight_text_clean(row->name);
    char *percent = relative(row, row->sides[0].stats[PINSIGHT_DIFF_SELF].median,
                             pinsight_diff_change(row, PINSIGHT_DIFF_SELF));
    bool number = percent[0] == '+' || percent[0] == '-';

    pinsight_paragraph(out, diff->options.colour, PINSIGHT_DIM, diff->options.width, "",
                       "The largest difference is that of %s: %s%s%s%s.", name, change,
                       number ? ", " : "", number ? percent : "", number ? " %" : "");
    PINSIGHT_FREE(change, name, percent);
}

int pinsight_diff_text(const struct pinsight_diff *diff, FILE *out) {
    struct diff_printing printing = {diff, out};
    size_t changes;

    errno = 0;
    print_side(diff, out, 0);
    print_side(diff, out, 1);
    pinsight_diff_notes(diff, print_note, &printing);
    print_sentence(diff, out);
    changes = print_section(diff, out, diff->noise_known ? "Changes" : "Differences",
                            diff->noise_known ? "larger than the noise, medians of the runs"
                                              : "of one run from another",
                            pinsight_diff_is_work, false);
    changes += print_section(
        diff, out, diff->noise_known ? "Waiting that changed" : "Waiting that differs",
        "the causes of their waiting have changed", pinsight_diff_is_wait, true);
    if (!changes)
        print_none(diff, out);
    if (diff->options.all)
        print_section(diff, out, diff->noise_known ? "No change" : "No difference",
                      "within the noise, or too small", is_same, false);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
