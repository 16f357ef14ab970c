/* The report's section on waits for the GIL. */
#include "reader/python/gil.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "views/process_name.h"
#include "views/python/python.h"
#include "views/report/head.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <string.h>

/* A function with its names. */
struct gil_row {
    const char *name; /* NULL if the function is unknown */
    const char *file;
    int32_t line;
    const struct pinsight_gil_function *sums;
};

FUNCTION_PLACE(place, struct gil_row)

#define S(member) MEMBER(struct pinsight_gil_function, member)
static const struct pinsight_column sums_columns[] = {
    WAIT_COLUMNS(S),
    COLUMN("held_ns", "held up others", NS, S(held_ns), .style = PINSIGHT_BOLD),
    COLUMN("held", "times", COUNT, S(held)),
};
static const struct pinsight_table sums = {PINSIGHT_COLUMNS(sums_columns)};

#define R(member) MEMBER(struct gil_row, member)
static const struct pinsight_column row_columns[] = {
    FUNCTION_COLUMNS("(not known)", R, place),
    INNER(NULL, &sums, R(sums), .pointer = true),
};

#define G(member) MEMBER(struct pinsight_gil, member)
static const struct pinsight_column gil_columns[] = {
    INNER(NULL, &pinsight_pid_table, G(process), .pointer = true),
    COLUMN("gil", "GIL", ID, G(number)),
    COLUMN("waits", "waits", COUNT, G(waits)),
    COLUMN("wait_ns", "waited", NS, G(wait_ns)),
    COLUMN("longest_ns", "longest", NS, G(longest_ns)),
    COLUMN("wanted_ns", "wanted", NS, G(wanted_ns), .style = PINSIGHT_BOLD),
    COLUMN("seen_ns", NULL, NS, G(seen_ns), .needs = G(seen_ns)),
    COLUMN("held_ns", NULL, NS, G(held_ns), .needs = G(seen_ns)),
};

ORDER(by_time, struct gil_row,
             BY(b->sums->wait_ns + b->sums->held_ns, a->sums->wait_ns + a->sums->held_ns)
                 ?: strcmp(a->name ? a->name : "", b->name ? b->name : "")
                 ?: BY(a->line, b->line))

static struct pinsight_rows make_rows(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_model *model = report->model;
    const struct pinsight_python *python = pinsight_model_python(model);
    size_t count = python ? python->gil_function_count : 0, used = 0;
    struct gil_row *rows = pinsight_calloc(count + 1, sizeof(*rows));

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_gil_function *sums_of = &python->gil_functions[i];
        const struct pinsight_function *function;

        if (!sums_of->wait_ns && !sums_of->held_ns)
            continue;
        rows[used].sums = sums_of;
        if (sums_of->function != PINSIGHT_NONE) {
            function = &model->functions[sums_of->function];
            rows[used].name = pinsight_function_name(model, sums_of->function);
            rows[used].file = pinsight_report_string(report, function->file);
            rows[used].line = function->line;
        }
        used++;
    }
    PINSIGHT_SORT(rows, used, by_time);
    return PINSIGHT_MADE_ROWS(rows, used);
}

static const struct pinsight_table functions = {
    PINSIGHT_TITLED("Functions that waited for the GIL, and that held it meanwhile",
                    "sorted by both", "functions", row_columns),
    .make = make_rows,
    .screen = "wait_ns waits longest_ns held_ns held name place",
    .files = "name file line waits wait_ns longest_ns held held_ns",
};

static struct pinsight_rows gil_rows(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_python *python = pinsight_model_python(report->model);

    return PINSIGHT_ROWS(python ? python->gils : NULL, python ? python->gil_count : 0);
}

static const struct pinsight_table gils = {
    PINSIGHT_LIST("gils", gil_columns),
    .whole = PINSIGHT_FORM_JSON,
    .make = gil_rows,
    .json = "pid gil waits wait_ns longest_ns wanted_ns seen_ns held_ns",
};

static bool has_gil(const struct pinsight_report *report) {
    return gil_rows(report).count != 0;
}

static const char *none(const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);

    if (python && python->unseen[PINSIGHT_WAITS_NO_GIL])
        return "The interpreter has no GIL: it is a free-threaded build of CPython.";
    if (report->only_counted)
        return "Calls were counted (MONITORING): who waits for the GIL needs TRACING.";
    return "No thread was seen to wait for the GIL.";
}

/* Writes the load of a GIL, such as "worker 2: 1.20 s of 1.30 s (92.3 %) a thread wanted it that
 * another held; …". */
static void print_load(const struct pinsight_report *report, FILE *out,
                       const struct pinsight_gil *gil) {
    const struct pinsight_model *model = report->model;
    uint64_t wall_ns = pinsight_time_rest(gil->process->last_ns, gil->process->first_ns);

    char *of = pinsight_strdup("");

    if (view_processes_are_named(model)) {
        char *name = view_process_name(gil->process);

        pinsight_append(&of, "%s: ", name);
        free(name);
    }
    if (gil->number)
        pinsight_append(&of, "GIL %u, of an interpreter with its own: ", gil->number);
    pinsight_head_note(
        report, out,
        "%s%s of %s (%s %%) a thread wanted it that another held; "
        "%s wait%s, %s in all threads, the longest %s",
        of, pinsight_units_time(gil->wanted_ns).text, pinsight_units_time(wall_ns).text,
        pinsight_units_percent(gil->wanted_ns, wall_ns).text, pinsight_units_count(gil->waits).text,
        gil->waits == 1 ? "" : "s", pinsight_units_time(gil->wait_ns).text,
        pinsight_units_time(gil->longest_ns).text);
    free(of);
    if (gil->seen_ns)
        pinsight_head_note(report, out, "held in %s of %s since the first wait (%s %%)",
                           pinsight_units_time(gil->held_ns).text,
                           pinsight_units_time(gil->seen_ns).text,
                           pinsight_units_percent(gil->held_ns, gil->seen_ns).text);
}

static void print_gil(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_rows own = gil_rows(report);
    const struct pinsight_gil *gil = own.first;

    if (own.count)
        pinsight_head_section(report, out, "GIL", NULL);
    else
        pinsight_section_nothing(&pinsight_section_of_gil, report, out);
    for (size_t i = 0; i < own.count; i++)
        print_load(report, out, &gil[i]);
    pinsight_section_print(report, out, &functions, limit);
}

static const struct pinsight_table *const tables[] = {&gils, &functions, NULL};
const struct pinsight_section pinsight_section_of_gil = {
    PINSIGHT_SECTION("gil", "GIL", 8, has_gil, none),
    .about = "waits for the GIL, by the functions that waited and that held it, in place of the\n"
             "tables",
    .example = "who held the GIL that others wanted",
    PINSIGHT_SECTION_TABLES("gil", tables, &functions),
    .screen = print_gil,
};
