/* The section on the user's lines. A measured line (lines = on) has its own time, too. A line has
 * the time of its calls and of its native work, except time in other functions of the user's. The
 * rest of a function is its own Python, whose lines are unknown. The rows of a function add up to
 * all its time. */
#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "reader/extremes.h"
#include "reader/python/gil.h"
#include "views/domain.h"
#include "views/kit/source_text.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/section.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* Narrower screens leave out columns. */
#define WIDTH_FOR_WAITING 70
#define WIDTH_FOR_READY 100
#define WIDTH_FOR_TOTAL 90
#define WIDTH_FOR_CALLEES 120

struct line_row {
    const struct pinsight_attribution_function *function;
    uint32_t number; /* index of the function */
    int32_t line;    /* 0: unknown */
    bool own;        /* belongs to no line: the function's own Python */
    uint64_t calls, c_calls;
    /* Of measured lines: executions, all time, and the part of it outside recorded calls. */
    uint64_t hits, line_ns, own_ns;
    uint64_t total_ns;       /* of its calls, from begin to end */
    uint64_t ns, waiting_ns; /* its time, and the waiting part of it */
    uint64_t ready_ns;       /* part of ns in which it was ready without a processor */
    struct pinsight_attribution_work work[PINSIGHT_ATTRIBUTION_DOMAINS]; /* wall times within ns */
    const struct pinsight_attribution_call *most; /* the call with the most time, or NULL */
    char *source; /* source text of the line; owned; NULL if missing */
};

struct line_rows {
    struct line_row *rows;
    size_t count, capacity;
    struct pinsight_map map;
    struct pinsight_source_text text;
    /* Functions with measured lines whose calls were not recorded. */
    struct pinsight_attribution_function *more;
    size_t more_count;
    uint32_t *numbers;  /* of the functions of the measured lines */
    bool *has_measured; /* by the number of a function */
    bool users;         /* rows are only for the user's code */
};

static const struct pinsight_attribution_function *
function_of(const struct line_rows *rows, const struct pinsight_report *report, uint32_t number) {
    const struct pinsight_attribution_view *view = report->attribution;

    return number < view->function_count ? &view->functions[number]
                                         : &rows->more[number - view->function_count];
}

static struct line_row *row_of(struct line_rows *rows, const struct pinsight_report *report,
                               uint32_t function, int32_t line, bool own) {
    return PINSIGHT_KEYED(&rows->map, function, (uint32_t)line, own, rows->rows, rows->count,
                          rows->capacity, .function = function_of(rows, report, function),
                          .number = function, .line = line, .own = own);
}

static bool is_wanted(const struct line_rows *rows, const struct pinsight_report *report,
                      size_t number) {
    const struct pinsight_attribution_function *function = &report->attribution->functions[number];

    return function->name && (function->users || !rows->users || rows->has_measured[number]);
}

static void add_call(struct line_row *row, const struct pinsight_attribution_call *call) {
    row->calls += call->kind == PINSIGHT_C_CALL ? 0 : call->calls;
    row->c_calls += call->kind == PINSIGHT_C_CALL ? call->calls : 0;
    row->total_ns += call->total_ns;
    /* Native work comes from the lines of domains, which have native work outside calls, too. */
    const uint64_t ready_ns = pinsight_time_rest(call->ready_ns, call->native_ready_ns);
    row->ns += pinsight_time_rest(call->ns, call->native_ns);
    row->ready_ns += ready_ns;
    row->waiting_ns += pinsight_time_rest(call->away_ns, call->native_away_ns + ready_ns);
    if (!row->most || call->total_ns > row->most->total_ns)
        row->most = call;
}

static void add_work(struct line_row *row, const struct pinsight_attribution_work *work) {
    struct pinsight_attribution_work wall = pinsight_attribution_wall(work);

    row->ns += wall.wall_ns;
    row->waiting_ns += wall.wall_waiting_ns + wall.wall_away_ns;
    row->ready_ns += wall.wall_ready_ns;
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        pinsight_attribution_work_add(&row->work[d], &work[d]);
}

/* Returns the index of a function of the model among those of the view, or the next free index
 * after them, which it then has. */
static uint32_t number_of(struct line_rows *rows, const struct pinsight_report *report,
                          uint32_t function) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_function *known = &report->model->functions[function];
    const char *name = pinsight_strings_text(&report->model->strings, known->name);
    const char *file = pinsight_strings_text(&report->model->strings, known->file);
    uint32_t all = (uint32_t)(view->function_count + rows->more_count);

    for (uint32_t i = 0; i < all; i++) {
        const struct pinsight_attribution_function *at = function_of(rows, report, i);
        if (at->name && at->line == known->line && strcmp(at->name, name) == 0 &&
            strcmp(at->file, file) == 0)
            return i;
    }
    rows->more[rows->more_count++] =
        (struct pinsight_attribution_function){.name = name, .file = file, .line = known->line};
    return all;
}

/* Finds the functions of the measured lines. Their rows are wanted. */
static void find_measured(struct line_rows *rows, const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);
    const struct pinsight_measured_lines *lines = python ? &python->lines : NULL;
    size_t count = lines ? lines->count : 0;

    rows->more = pinsight_calloc(count + 1, sizeof(*rows->more));
    rows->numbers = pinsight_calloc(count + 1, sizeof(*rows->numbers));
    rows->has_measured = pinsight_calloc(report->attribution->function_count + count + 1,
                                         sizeof(*rows->has_measured));
    for (size_t i = 0; i < count; i++) {
        rows->numbers[i] = i && lines->rows[i].function == lines->rows[i - 1].function
                               ? rows->numbers[i - 1]
                               : number_of(rows, report, lines->rows[i].function);
        rows->has_measured[rows->numbers[i]] = true;
    }
}

/* Adds the measured lines, after their calls. */
static void add_measured(struct line_rows *rows, const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);

    for (size_t i = 0; python && i < python->lines.count; i++) {
        const struct pinsight_measured_line *line = &python->lines.rows[i];
        struct line_row *row = row_of(rows, report, rows->numbers[i], line->line, false);

        row->hits += line->hits;
        row->line_ns += line->ns;
        row->own_ns = pinsight_time_rest(row->line_ns, row->total_ns);
    }
}

/* Adds the own times of measured lines to the times of the rows. If they are longer than the rest
 * of their function, each has its share of that rest. `sums` has the sums of the functions' rows,
 * which change. */
static void add_line_own(struct line_rows *rows, const struct pinsight_report *report,
                         struct line_row *sums) {
    const size_t recorded = report->attribution->function_count;

    for (size_t i = 0; i < rows->count; i++) {
        struct line_row *row = &rows->rows[i];
        const struct line_row *sum = &sums[row->number];
        uint64_t ns = row->own_ns;

        if (row->number < recorded) {
            uint64_t all = pinsight_attribution_function_ns(row->function);
            uint64_t rest = pinsight_time_rest(all, sum->ns);
            if (sum->own_ns > rest)
                ns = (uint64_t)((unsigned __int128)row->own_ns * rest / sum->own_ns);
        }
        row->ns += ns;
        sums[row->number].line_ns += ns;
    }
    for (size_t i = 0; i < recorded + rows->more_count; i++)
        sums[i].ns += sums[i].line_ns;
}

/* Adds the time of a function outside its lines. */
static void add_own(struct line_rows *rows, const struct pinsight_report *report, uint32_t number,
                    const struct line_row *lines) {
    const struct pinsight_attribution_function *function = &report->attribution->functions[number];
    uint64_t ns = pinsight_attribution_function_ns(function);
    uint64_t waiting_ns = pinsight_attribution_function_waiting_ns(function);
    uint64_t ready_ns =
        function->away.ready_ns + pinsight_attribution_wall(function->work).wall_ready_ns;
    struct line_row *row;

    if (ns <= lines->ns)
        return;
    row = row_of(rows, report, number, 0, true);
    row->ns = ns - lines->ns;
    row->waiting_ns = waiting_ns > lines->waiting_ns ? waiting_ns - lines->waiting_ns : 0;
    row->ready_ns = ready_ns > lines->ready_ns ? ready_ns - lines->ready_ns : 0;
}

static uint64_t taken_by(const struct line_row *row) {
    return row->ns - pinsight_least(row->ready_ns, row->ns);
}

ORDER(by_time, struct line_row,
      BY(taken_by(b), taken_by(a)) ?: BY(b->total_ns, a->total_ns) ?: BY(a->number, b->number)
          ?: BY(a->line, b->line) ?: BY(a->own, b->own))

static struct line_rows make_rows(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;
    struct line_rows rows = {.text = {.before_ns = report->model->first_ns}};
    struct line_row *sums;
    size_t lines;

    for (size_t i = 0; i < view->function_count; i++)
        rows.users |= view->functions[i].users;
    find_measured(&rows, report);
    sums = pinsight_calloc(view->function_count + rows.more_count + 1, sizeof(*sums));
    for (size_t i = 0; i < view->call_count; i++)
        if (is_wanted(&rows, report, view->calls[i].function))
            add_call(row_of(&rows, report, view->calls[i].function, view->calls[i].line, false),
                     &view->calls[i]);
    for (size_t i = 0; i < view->line_count; i++)
        if (is_wanted(&rows, report, view->lines[i].function))
            add_work(row_of(&rows, report, view->lines[i].function, view->lines[i].line, false),
                     view->lines[i].work);
    add_measured(&rows, report);
    lines = rows.count;
    for (size_t i = 0; i < lines; i++) {
        sums[rows.rows[i].number].ns += rows.rows[i].ns;
        sums[rows.rows[i].number].own_ns += rows.rows[i].own_ns;
        sums[rows.rows[i].number].waiting_ns += rows.rows[i].waiting_ns;
        sums[rows.rows[i].number].ready_ns += rows.rows[i].ready_ns;
    }
    add_line_own(&rows, report, sums);
    for (size_t i = 0; i < view->function_count; i++)
        if (is_wanted(&rows, report, i))
            add_own(&rows, report, (uint32_t)i, &sums[i]);
    free(sums);
    pinsight_map_clear(&rows.map);
    PINSIGHT_SORT(rows.rows, rows.count, by_time);
    return rows;
}

/* Reads the source text of the shown rows. */
static void read_sources(struct line_rows *rows, size_t shown) {
    for (size_t i = 0; i < shown; i++)
        if (!rows->rows[i].own)
            rows->rows[i].source =
                pinsight_source_line(&rows->text, rows->rows[i].function->file, rows->rows[i].line);
}

static void free_rows(struct line_rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        free(rows->rows[i].source);
    free(rows->rows);
    free(rows->more);
    free(rows->numbers);
    free(rows->has_measured);
    pinsight_source_text_clear(&rows->text);
}

static bool has_domain(const void *view, unsigned domain) {
    return pinsight_attribution_any(
        &((const struct pinsight_report *)view)->attribution->all[domain]);
}

SHOWN(has_clocks, report->has_clocks)

static bool has_measured(const void *view) {
    const struct pinsight_python *python =
        pinsight_model_python(((const struct pinsight_report *)view)->model);

    return python && python->lines.count;
}

#define ROW struct line_row
VALUE(function, ROW, pinsight_value_text(row->function->name))
VALUE(file, ROW, pinsight_value_text(row->function->file[0] ? row->function->file : NULL))
VALUE(function_line, ROW, pinsight_value_signed(row->function->line))
VALUE(share, ROW, pinsight_value_share(taken_by(row), report->whole_ns))
VALUE(took, ROW, pinsight_value_number(taken_by(row)))
VALUE(calls, ROW,
      row->own ? pinsight_value_none() : pinsight_value_number(row->calls + row->c_calls))
VALUE(total, ROW, row->own ? pinsight_value_none() : pinsight_value_number(row->total_ns))
VALUE(hits, ROW, row->hits ? pinsight_value_number(row->hits) : pinsight_value_none())
VALUE(each, ROW,
      row->hits ? pinsight_value_number(row->line_ns / row->hits) : pinsight_value_none())
VALUE(line_own, ROW, row->hits ? pinsight_value_number(row->own_ns) : pinsight_value_none())
VALUE(callee, ROW, pinsight_value_text(row->most ? row->most->callee : NULL))
VALUE(place, ROW,
      pinsight_value_owned(pinsight_text_place(pinsight_text_file(row->function->file),
                                               row->own ? row->function->line : row->line)))

/* Returns the line's text, or else its callee, or the name of the function itself. */
static struct pinsight_value text_of(const void *view, const void *of) {
    const struct line_row *row = of;
    char *clean, *text;

    if (row->source)
        return pinsight_value_text(row->source);
    clean = pinsight_text_clean(row->own || !row->most ? row->function->name : row->most->callee);
    text = row->own    ? pinsight_format("(%s itself)", clean)
           : row->most ? pinsight_format("→ %s", clean)
                       : pinsight_format("(%s)", clean);
    free(clean);
    return pinsight_value_owned(text);
}

static void write_work(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    pinsight_attribution_write_work(json, printing, ((const ROW *)row)->work);
}

#define R(member) MEMBER(ROW, member)
static const struct pinsight_column columns[] = {
    GETTER("function", NULL, TEXT, function),
    GETTER("file", NULL, TEXT, file),
    COLUMN("line", NULL, SIGNED, R(line), .needs = R(line)),
    GETTER("function_line", NULL, SIGNED, function_line),
    FIELD(BOOL, R, own),
    GETTER("took", "time", NS, took, .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, share),
    FIELD(NS, R, ns),
    COLUMN("waiting_ns", NULL, NS, R(waiting_ns), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("ready_ns", NULL, NS, R(ready_ns), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("waiting_ns", "waiting", NS, R(waiting_ns), .only = PINSIGHT_FORM_SCREEN,
           .shown = has_clocks, .width = WIDTH_FOR_WAITING, .style = PINSIGHT_DIM),
    COLUMN("ready_ns", "no CPU", NS, R(ready_ns), .only = PINSIGHT_FORM_SCREEN,
           .shown = pinsight_report_has_ready, .width = WIDTH_FOR_READY, .style = PINSIGHT_DIM),
    COLUMN("domains", NULL, NS, R(work[0].wall_ns), .parts = PINSIGHT_ATTRIBUTION_DOMAINS,
           .stride = sizeof(struct pinsight_attribution_work),
           .part_head = pinsight_attribution_name, .part_shown = has_domain,
           .word = pinsight_attribution_word, .part_prefix = ""),
    FIELD(COUNT, R, hits),
    FIELDS(NS, R, line_ns, own_ns),
    GETTER("measured_hits", "hits", COUNT, hits, .shown = has_measured),
    GETTER("each", "a hit", NS, each, .shown = has_measured, .width = WIDTH_FOR_TOTAL),
    GETTER("line_own", "own", NS, line_own, .shown = has_measured),
    FIELDS(COUNT, R, calls, c_calls),
    GETTER("all_calls", "calls", COUNT, calls),
    FIELD(NS, R, total_ns),
    GETTER("total", "total", NS, total, .width = WIDTH_FOR_TOTAL),
    GETTER("callee", "most to", TEXT, callee, .width = WIDTH_FOR_CALLEES,
           .align = PINSIGHT_FLEXIBLE, .style = PINSIGHT_DIM),
    GETTER("place", "line", TEXT, place, NAMES_IN(PYTHON)),
    GETTER("text", "source", TEXT, text_of, .align = PINSIGHT_FLEXIBLE_END),
    FIELD(TEXT, R, source),
    WRITER("work", write_work),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Your lines", "by time without what your other functions took", "lines",
                    columns),
    .screen = "took share measured_hits each line_own waiting_ns ready_ns domains all_calls total "
              "callee place text",
    .json = "function file line function_line own ns hits line_ns own_ns waiting_ns ready_ns calls "
            "c_calls total_ns "
            "callee work source",
    .csv = "function file line own ns hits line_ns own_ns waiting_ns ready_ns domains calls "
           "c_calls total_ns callee "
           "source",
};

/* Writes the time that is in no row, so that everything adds up. */
static void print_rest(const struct pinsight_report *report, FILE *out,
                       const struct line_rows *rows) {
    const struct pinsight_attribution_view *view = report->attribution;
    uint64_t libraries = 0, imports = pinsight_attribution_import_ns(&view->all_imports);
    uint64_t alone = pinsight_attribution_wall(view->alone).wall_ns;
    char *text = NULL;

    for (size_t i = 0; i < view->function_count; i++)
        if (!is_wanted(rows, report, i))
            libraries += pinsight_attribution_function_ns(&view->functions[i]);
    if (libraries)
        pinsight_append(&text, ", libraries %s", pinsight_units_time(libraries).text);
    if (imports)
        pinsight_append(&text, ", imports %s", pinsight_units_time(imports).text);
    if (alone)
        pinsight_append(&text, ", native work without Python %s", pinsight_units_time(alone).text);
    if (text)
        pinsight_head_note(report, out, "Without a line of yours: %s", text + 2);
    if (rows->text.unread)
        pinsight_head_note(report, out,
                           "Without text: %zu source file%s not here, or changed since the run",
                           rows->text.unread, rows->text.unread == 1 ? " is" : "s are");
    free(text);
}

static bool seen(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < view->function_count; i++)
        if (view->functions[i].name)
            return true;
    return has_measured(report);
}

static const char *none(const struct pinsight_report *report) {
    return "No call of a Python function was recorded, so no line is known: the events that are "
           "recorded, or a configuration, can exclude them.";
}

static void print_lines(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct line_rows rows = make_rows(report);

    if (!rows.count)
        pinsight_section_nothing(&pinsight_section_of_lines, report, out);
    read_sources(&rows, pinsight_rows_shown(rows.count, limit));
    pinsight_section_print_rows(report, out, &table, PINSIGHT_ROWS(rows.rows, rows.count), limit);
    if (rows.count)
        print_rest(report, out, &rows);
    free_rows(&rows);
}

static void write_csv(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct line_rows rows = make_rows(report);

    read_sources(&rows, pinsight_rows_shown(rows.count, limit));
    pinsight_table_csv(&table, &printing, PINSIGHT_ROWS(rows.rows, rows.count), limit, out, true);
    free_rows(&rows);
}

static void write_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct line_rows rows = make_rows(report);

    read_sources(&rows, pinsight_rows_shown(rows.count, limit));
    pinsight_table_json(&table, &printing, PINSIGHT_ROWS(rows.rows, rows.count), limit, json);
    free_rows(&rows);
}

const struct pinsight_section pinsight_section_of_lines = {
    PINSIGHT_SECTION("lines", "Your lines", 10, seen, none),
    .about = "time by your lines, with their calls and their source text, in place of the\n"
             "tables",
    .example = "in which lines time goes",
    .screen = print_lines,
    .csv = write_csv,
    .json = write_json,
};
