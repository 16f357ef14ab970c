/* Domains of calls in the summary, the report and exports; see calls.h. */
#include "views/report/calls.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "reader/kit/calls.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>

static enum reader_domain_number number_of(const struct pinsight_slice *slice) {
    return (enum reader_domain_number)(slice->kind - PINSIGHT_SLICE_CALL);
}

uint32_t view_calls_runs(const struct pinsight_model *model, const struct pinsight_slice *slice) {
    return reader_calls_of(model, number_of(slice))->sites[slice->id].function;
}

static const struct reader_calls_function *function_of(const struct pinsight_model *model,
                                                       const struct pinsight_slice *slice) {
    return &reader_calls_of(model, number_of(slice))->functions[view_calls_runs(model, slice)];
}

void view_calls_text(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                     struct pinsight_slice_text *text) {
    text->name =
        pinsight_strings_text(&texts->model->strings, function_of(texts->model, slice)->name);
}

void view_calls_details(const struct pinsight_slice *slice,
                        const struct pinsight_slice_details *details) {
    if (slice->bytes)
        pinsight_detail(details, "bytes", PINSIGHT_DETAIL_SIZE, slice->bytes);
}

bool view_calls_seen(enum reader_domain_number number, const struct pinsight_report *report) {
    const struct reader_calls *calls = reader_calls_of(report->model, number);

    return calls && calls->function_count;
}

/* Writes a line such as "Toy 248 ms in 42 calls, of it 12 ms waiting". */
void view_calls_lines(enum reader_domain_number number, const struct pinsight_report *report,
                      FILE *out) {
    const struct pinsight_attribution_work *work = &report->attribution->all[number];
    const struct pinsight_monitored *counted = &report->attribution->counted[number];
    const char *name = reader_domains[number]->name;

    if (!work->calls && counted->calls)
        pinsight_head_line(report, out, "%s %s in %s call%s that were counted (MONITORING)", name,
                           pinsight_units_time(counted->total_ns).text,
                           pinsight_units_count(counted->calls).text,
                           counted->calls == 1 ? "" : "s");
    if (!work->calls)
        return;
    pinsight_head_line(report, out, "%s %s in %s call%s%s%s%s", name,
                       pinsight_units_time(work->thread_ns).text,
                       pinsight_units_count(work->calls).text, work->calls == 1 ? "" : "s",
                       work->waiting_ns ? PINSIGHT_HEAD_PART ", of it " : "",
                       work->waiting_ns ? pinsight_units_time(work->waiting_ns).text : "",
                       work->waiting_ns ? " waiting" : "");
}

void view_calls_attribution(enum reader_domain_number number,
                            struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report) {
    const struct reader_calls *calls = reader_calls_of(report->model, number);

    for (size_t i = 0; calls && i < calls->function_count; i++)
        pinsight_attribution_count(maker, number, &calls->functions[i].counted);
}

/* ---- the table of functions ---- */

/* A row of the table, with recorded and counted calls. */
struct view_calls_row {
    const struct reader_calls_function *function;
    uint64_t calls, total_ns, mean_ns;
};

#define R(member) MEMBER(struct view_calls_row, member)
#define F(member) MEMBER(struct reader_calls_function, member)
static const struct pinsight_column function_columns[] = {
    COLUMN("name", "function", STRING_NUMBER, F(name), NAMES_IN(DEVICE)),
    FIELD(COUNT, F, open),
    COLUMN("min_ns", NULL, NS, F(min_ns), .needs = F(calls)),
    COLUMN("max_ns", "max", NS, F(max_ns), .needs = F(calls)),
    FIELD(BOOL, F, waits),
};
static const struct pinsight_table functions = {PINSIGHT_COLUMNS(function_columns)};

static const struct pinsight_column columns[] = {
    INNER(NULL, &functions, R(function), .pointer = true),
    COLUMN("calls", "calls", COUNT, R(calls)),
    COLUMN("total_ns", "time", NS, R(total_ns), .style = PINSIGHT_BOLD),
    COLUMN("mean_ns", "mean", NS, R(mean_ns)),
};

static const struct pinsight_table table = {
    .remark = "by time",
    .key = "functions",
    PINSIGHT_COLUMNS(columns),
    .screen = "total_ns calls mean_ns max_ns name",
    .json = "name calls open total_ns mean_ns min_ns max_ns waits",
};

static int by_time(const void *left, const void *right) {
    const struct view_calls_row *a = left, *b = right;

    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return (a->function > b->function) - (a->function < b->function);
}

/* Returns the sorted rows. The caller frees them. */
static struct view_calls_row *rows_of(const struct reader_calls *calls) {
    struct view_calls_row *rows = pinsight_calloc(calls->function_count + 1, sizeof(*rows));

    for (size_t i = 0; i < calls->function_count; i++) {
        const struct reader_calls_function *function = &calls->functions[i];
        struct view_calls_row *row = &rows[i];

        row->function = function;
        row->calls = function->calls + function->counted.calls;
        row->total_ns = function->total_ns + function->counted.total_ns;
        row->mean_ns = row->calls ? row->total_ns / row->calls : 0;
    }
    qsort(rows, calls->function_count, sizeof(*rows), by_time);
    return rows;
}

void view_calls_brief(enum reader_domain_number number, const struct pinsight_report *report,
                      FILE *out, size_t limit) {
    const struct reader_calls *calls = reader_calls_of(report->model, number);
    struct pinsight_table titled = table;
    struct view_calls_row *rows;
    char *title;

    if (!calls || !calls->function_count)
        return;
    title = pinsight_format("%s calls", reader_domains[number]->name);
    titled.title = title;
    rows = rows_of(calls);
    pinsight_section_print_rows(report, out, &titled, PINSIGHT_ROWS(rows, calls->function_count),
                                limit);
    free(rows);
    free(title);
}

void view_calls_json(enum reader_domain_number number, const struct pinsight_report *report,
                     struct pinsight_json *json, size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    const struct reader_calls *calls = reader_calls_of(report->model, number);
    struct view_calls_row *rows;

    if (!calls)
        return;
    rows = rows_of(calls);
    pinsight_json_open(json, reader_domains[number]->table, '{');
    pinsight_json_unsigned(json, "calls", calls->calls);
    pinsight_table_json(&table, &printing, PINSIGHT_ROWS(rows, calls->function_count), limit, json);
    pinsight_json_close(json, '}');
    free(rows);
}
