/* The tables of the user's lines with the native work that they caused, and of threads. */
#include "views/report/attribution.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/report/head.h"
#include "views/report/section.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>

/* Narrower screens leave out columns. */
#define WIDTH_FOR_BYTES 100
#define WIDTH_FOR_WAITING 84
#define WIDTH_FOR_ALL 76

static const struct pinsight_attribution_view *attribution_of(const void *view) {
    return ((const struct pinsight_report *)view)->attribution;
}

/* A line, or a row that replaces one, with its work of one domain. In CSV, it may be a function
 * with its Python or C. */
struct attribution_row {
    const char *name, *file; /* file is NULL if there is none */
    int32_t line;
    const char *domain, *domain_name;
    uint64_t wall_ns;
    const struct pinsight_attribution_work *work; /* NULL for Python and C */
    const char *forward_file;                     /* NULL without */
    int32_t forward_line;
};

ORDER(by_wall, struct attribution_row,
      BY(b->wall_ns, a->wall_ns) ?: BY(b->work->thread_ns, a->work->thread_ns)
          ?: BY(a->line, b->line) ?: BY(a->forward_line, b->forward_line))

struct attribution_rows {
    struct attribution_row *rows;
    size_t count, capacity;
};

static void add_row(struct attribution_rows *rows, struct attribution_row row) {
    *PINSIGHT_ADD(rows->rows, rows->count, rows->capacity) = row;
}

/* Adds a copy of a row for each domain with work. */
static void add_works_like(struct attribution_rows *rows, struct attribution_row row,
                           const struct pinsight_attribution_work *work) {
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        if (!pinsight_attribution_any(&work[d]))
            continue;
        row.domain = pinsight_attribution_word(d);
        row.domain_name = pinsight_attribution_name(d);
        row.wall_ns = work[d].wall_ns;
        row.work = &work[d];
        add_row(rows, row);
    }
}

static void add_works(struct attribution_rows *rows, const char *name, const char *file,
                      const struct pinsight_attribution_work *work) {
    add_works_like(rows, (struct attribution_row){.name = name, .file = file}, work);
}

static void add_line(struct attribution_rows *rows, const struct pinsight_attribution_view *view,
                     size_t line, const char *unnamed) {
    const struct pinsight_attribution_line *of = &view->lines[line];
    const struct pinsight_attribution_function *function = &view->functions[of->function];

    add_works_like(rows,
                   (struct attribution_row){.name = function->name ? function->name : unnamed,
                                            .file = function->file,
                                            .line = of->line,
                                            .forward_file = of->forward_file,
                                            .forward_line = of->forward_line},
                   of->work);
}

VALUE(row_share, struct attribution_row,
      pinsight_value_share(row->wall_ns, pinsight_attribution_whole_with_idle_ns(report)))

static struct pinsight_value row_file(const void *view, const void *row) {
    const char *file = ((const struct attribution_row *)row)->file;

    return pinsight_value_text(file && file[0] ? file : NULL);
}

VALUE(row_place, struct attribution_row,
      pinsight_value_owned(row->file ? pinsight_text_place(row->file, row->line) : NULL))

VALUE(row_forward, struct attribution_row,
      pinsight_value_owned(row->forward_file
                               ? pinsight_text_place(row->forward_file, row->forward_line)
                               : NULL))

static bool has_forward(const void *view) {
    const struct pinsight_attribution_view *attribution = attribution_of(view);

    for (size_t i = 0; i < attribution->line_count; i++)
        if (attribution->lines[i].forward_file)
            return true;
    return false;
}

/* Bytes are known for calls of MPI, and for work of devices. */
static bool has_bytes(const void *view) {
    const struct pinsight_attribution_view *attribution = attribution_of(view);

    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        if (view_domains[d]->on_devices && pinsight_attribution_any(&attribution->all[d]))
            return true;
    return attribution->all[PINSIGHT_ATTRIBUTION_MPI].calls != 0;
}

#define W(member) MEMBER(struct pinsight_attribution_work, member)
#define WITH_BYTES .shown = has_bytes, .width = WIDTH_FOR_BYTES
static const struct pinsight_column work_columns[] = {
    COLUMN("calls", "calls", COUNT, W(calls)),
    FIELDS(NS, W, wall_ns, wall_waiting_ns, wall_away_ns, wall_ready_ns),
    COLUMN("thread_ns", "threads", NS, W(thread_ns), .width = WIDTH_FOR_ALL),
    COLUMN("waiting_ns", "waiting", NS, W(waiting_ns), .width = WIDTH_FOR_WAITING),
    FIELDS(BYTES, W, sent_bytes, received_bytes),
    COLUMN("sent", "sent", BYTES, W(sent_bytes), .needs = W(sent_bytes), WITH_BYTES),
    COLUMN("received", "received", BYTES, W(received_bytes), .needs = W(received_bytes),
           WITH_BYTES),
};
static const struct pinsight_table work_of_teams = {
    PINSIGHT_COLUMNS(work_columns),
    .json = "calls wall_ns wall_waiting_ns wall_away_ns wall_ready_ns thread_ns waiting_ns",
};
static const struct pinsight_table work_with_bytes = {
    PINSIGHT_COLUMNS(work_columns),
    .json =
        "calls wall_ns wall_waiting_ns wall_away_ns wall_ready_ns thread_ns waiting_ns sent_bytes "
        "received_bytes",
};

void pinsight_attribution_write_work(struct pinsight_json *json,
                                     const struct pinsight_printing *printing,
                                     const struct pinsight_attribution_work *work) {
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        pinsight_row_json(d == PINSIGHT_ATTRIBUTION_OPENMP ? &work_of_teams : &work_with_bytes,
                          printing, &work[d], pinsight_attribution_word(d), json);
}

#define R(member) MEMBER(struct attribution_row, member)
static const struct pinsight_column row_columns[] = {
    COLUMN("function", "caused by", TEXT, R(name), NAMES_IN(PYTHON)),
    GETTER("file", NULL, TEXT, row_file),
    COLUMN("line", NULL, SIGNED, R(line), .needs = R(line)),
    GETTER("place", "at", TEXT, row_place, NAMES_IN(DIM)),
    GETTER("forward", "backward of", TEXT, row_forward, .shown = has_forward, NAMES_IN(DIM)),
    FIELD(TEXT, R, forward_file),
    COLUMN("forward_line", NULL, SIGNED, R(forward_line), .needs = R(forward_line)),
    FIELD(WORD, R, domain),
    COLUMN("domain_name", "in", WORD, R(domain_name), .align = PINSIGHT_LEFT, .style = PINSIGHT_C),
    COLUMN("wall_ns", "wall", NS, R(wall_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, row_share),
    INNER(NULL, &work_with_bytes, R(work), .pointer = true),
};

static const struct pinsight_table line_rows = {
    .title = "Your lines, with the work they caused",
    .remark = "by wall time",
    PINSIGHT_COLUMNS(row_columns),
    .screen = "wall_ns share domain_name calls thread_ns waiting_ns sent received function place "
              "forward",
    .csv = "function file line domain calls wall_ns thread_ns waiting_ns sent_bytes received_bytes "
           "forward_file forward_line",
};

/* Writes each line with each domain, work without a known line, and work without Python. */
static void print_lines(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_attribution_view *view = report->attribution;
    struct attribution_rows rows = {.rows = NULL};

    for (size_t i = 0; i < view->line_count; i++)
        add_line(&rows, view, i, "(not known)");
    for (size_t i = 0; i < view->function_count; i++)
        if (!view->functions[i].name)
            add_works(&rows, "(not known)", view->functions[i].file, view->functions[i].work);
    add_works(&rows, "(no Python)", NULL, view->alone);
    PINSIGHT_SORT(rows.rows, rows.count, by_wall);
    pinsight_section_print_rows(report, out, &line_rows, PINSIGHT_ROWS(rows.rows, rows.count),
                                limit);
    free(rows.rows);
}

/* Adds a function's time outside domains. */
static void add_own_time(struct attribution_rows *rows,
                         const struct pinsight_attribution_function *function, const char *word,
                         const char *name, uint64_t ns) {
    if (ns)
        add_row(rows, (struct attribution_row){.name = function->name,
                                               .file = function->file,
                                               .domain = word,
                                               .domain_name = name,
                                               .wall_ns = ns});
}

static void write_csv(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    const struct pinsight_attribution_view *view = report->attribution;
    struct attribution_rows rows = {.rows = NULL};

    for (size_t i = 0; i < pinsight_rows_shown(view->line_count, limit); i++)
        add_line(&rows, view, i, NULL);
    for (size_t i = 0; i < pinsight_rows_shown(view->function_count, limit); i++) {
        const struct pinsight_attribution_function *f = &view->functions[i];

        add_own_time(&rows, f, "python", "Python", f->python_ns);
        add_own_time(&rows, f, "c", "C", f->c_ns);
        add_own_time(&rows, f, "gc", "GC", f->gc_ns);
        /* Python without a known function has no lines. */
        if (!f->name)
            add_works(&rows, NULL, f->file, f->work);
    }
    add_works(&rows, NULL, NULL, view->alone);
    if (pinsight_attribution_import_ns(&view->all_imports))
        add_row(&rows, (struct attribution_row){
                           .domain = "imports",
                           .wall_ns = pinsight_attribution_import_ns(&view->all_imports)});
    if (view->elsewhere_ns)
        add_row(&rows,
                (struct attribution_row){.domain = "not_recorded", .wall_ns = view->elsewhere_ns});
    pinsight_table_csv(&line_rows, &printing, PINSIGHT_ROWS(rows.rows, rows.count), 0, out, true);
    free(rows.rows);
}

static const struct pinsight_attribution_function *function_of_line(const void *view,
                                                                    const void *row) {
    return &attribution_of(view)
                ->functions[((const struct pinsight_attribution_line *)row)->function];
}

VALUE(line_function, void, pinsight_value_text(function_of_line(report, row)->name))

VALUE(line_file, void, pinsight_value_text(function_of_line(report, row)->file))

VALUE(line_function_line, void, pinsight_value_signed(function_of_line(report, row)->line))

static void write_line_work(struct pinsight_json *json, const struct pinsight_printing *printing,
                            const void *row) {
    pinsight_attribution_write_work(json, printing,
                                    ((const struct pinsight_attribution_line *)row)->work);
}

#define L(member) MEMBER(struct pinsight_attribution_line, member)
static const struct pinsight_column line_columns[] = {
    GETTER("function", NULL, TEXT, line_function),
    GETTER("file", NULL, TEXT, line_file),
    FIELD(SIGNED, L, line),
    GETTER("function_line", NULL, SIGNED, line_function_line),
    COLUMN("forward_function", NULL, TEXT, L(forward_name)),
    FIELD(TEXT, L, forward_file),
    COLUMN("forward_line", NULL, SIGNED, L(forward_line), .needs = L(forward_line)),
    FIELD(COUNT, L, c_calls),
    FIELD(NS, L, c_ns),
    WRITER("work", write_line_work),
};

static const struct pinsight_table lines = {
    PINSIGHT_LIST("lines", line_columns),
    ATTRIBUTION_ROWS(lines, line_count),
};

#define T(member) MEMBER(struct pinsight_attribution_thread, member)
#define BY_DOMAIN .word = pinsight_attribution_word, .parts = PINSIGHT_ATTRIBUTION_DOMAINS
static const struct pinsight_column thread_columns[] = {
    INNER(NULL, &pinsight_thread_table, T(thread), .pointer = true),
    FIELDS(NS, T, wall_ns, python_ns, c_ns),
    COLUMN("gc_ns", NULL, NS, T(gc_ns), .optional = T(gc_ns)),
    COLUMN("under_python_ns", NULL, NS, T(under_ns), BY_DOMAIN),
    COLUMN("alone_ns", NULL, NS, T(alone_ns), BY_DOMAIN),
    COLUMN("team_ns", NULL, NS, T(team_ns), BY_DOMAIN),
};

static const struct pinsight_table threads = {
    PINSIGHT_LIST("threads", thread_columns),
    ATTRIBUTION_ROWS(threads, thread_count),
    .json =
        "pid python_thread_id tid wall_ns python_ns c_ns gc_ns under_python_ns alone_ns team_ns",
};

VALUE(overhead, void,
      pinsight_value_number(report->attribution->python_ns + report->attribution->c_ns +
                            report->attribution->gc_ns))

static void write_sums(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    const struct pinsight_attribution_view *view = row;

    pinsight_json_open(json, "native", '{');
    pinsight_attribution_write_work(json, printing, view->all);
    pinsight_json_close(json, '}');
    pinsight_json_open(json, "no_python", '{');
    pinsight_attribution_write_work(json, printing, view->alone);
    pinsight_json_close(json, '}');
    pinsight_json_open(json, "counted", '{');
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        pinsight_json_open(json, pinsight_attribution_word(d), '{');
        pinsight_json_unsigned(json, "calls", view->counted[d].calls);
        pinsight_json_unsigned(json, "total_ns", view->counted[d].total_ns);
        pinsight_json_close(json, '}');
    }
    if (view->counted_gc.calls) {
        pinsight_json_open(json, "gc", '{');
        pinsight_json_unsigned(json, "calls", view->counted_gc.calls);
        pinsight_json_unsigned(json, "total_ns", view->counted_gc.total_ns);
        pinsight_json_unsigned(json, "self_ns", view->counted_gc.self_ns);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, '}');
}

#define I(member) MEMBER(struct pinsight_attribution_idle, member)
static const struct pinsight_column idle_columns[] = {
    FIELD(COUNT, I, threads),
    FIELDS(NS, I, wall_ns, python_ns, c_ns),
    INNER(NULL, &pinsight_attribution_away_table, I(away)),
};
static const struct pinsight_table idle = {PINSIGHT_COLUMNS(idle_columns)};

#define V(member) MEMBER(struct pinsight_attribution_view, member)
static const struct pinsight_column view_columns[] = {
    FIELDS(NS, V, wall_ns, recorded_ns, elsewhere_ns),
    COLUMN("native_code_ns", NULL, NS, V(native_ns)),
    FIELDS(NS, V, python_ns, c_ns),
    COLUMN("gc_ns", NULL, NS, V(gc_ns), .optional = V(gc_ns)),
    COLUMN("gc_ready_ns", NULL, NS, V(gc_ready_ns), .optional = V(gc_ready_ns)),
    GETTER("python_overhead_ns", NULL, NS, overhead),
    WRITER("sums", write_sums),
    INNER("idle", &idle, V(idle)),
};
static const struct pinsight_table sums = {PINSIGHT_COLUMNS(view_columns)};

static void write_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);

    pinsight_json_open(json, "links", '{');
    pinsight_row_members(&sums, &printing, report->attribution, json);
    pinsight_report_list(report, json, &lines, limit);
    pinsight_report_list(report, json, &pinsight_attribution_function_table, limit);
    pinsight_report_list(report, json, &pinsight_attribution_call_table, limit);
    pinsight_report_list(report, json, &pinsight_attribution_import_table, 0);
    pinsight_report_list(report, json, &pinsight_attribution_own_import_table, 0);
    pinsight_report_list(report, json, &threads, 0);
    pinsight_json_close(json, '}');
}

/* Writes Python without native work, and native work without Python. */
static void print_rest(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_attribution_view *view = report->attribution;
    uint64_t overhead = view->python_ns + view->c_ns + view->gc_ns;
    const uint64_t whole = pinsight_attribution_whole_with_idle_ns(report);

    pinsight_head_section(report, out, "Not linked", NULL);
    pinsight_head_note(
        report, out, "Python overhead: %s, %s %% of %s in %u thread%s, had no native work under it",
        pinsight_units_time(overhead).text, pinsight_units_percent(overhead, whole).text,
        pinsight_units_time(whole).text, view->callers, view->callers == 1 ? "" : "s");
    if (view->native_ns)
        pinsight_head_note(
            report, out,
            "Native code of threads without Python, outside of all that is recorded: %s, %s %%",
            pinsight_units_time(view->native_ns).text,
            pinsight_units_percent(view->native_ns, whole).text);
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        const struct pinsight_attribution_work *alone = &view->alone[d];

        if (pinsight_attribution_any(alone))
            pinsight_head_note(
                report, out, "%s with no Python above it: %s, %s %s, %s call%s",
                pinsight_attribution_name(d), pinsight_units_time(alone->wall_ns).text,
                view_domains[d]->on_devices ? "on devices" : "in all threads",
                pinsight_units_time(alone->thread_ns).text, pinsight_units_count(alone->calls).text,
                alone->calls == 1 ? "" : "s");
        if (view->counted[d].calls)
            pinsight_head_note(
                report, out,
                "%s that was only counted (MONITORING), so its lines are not known: %s call%s, %s",
                pinsight_attribution_name(d), pinsight_units_count(view->counted[d].calls).text,
                view->counted[d].calls == 1 ? "" : "s",
                pinsight_units_time(view->counted[d].total_ns).text);
    }
}

static void print_attribution(const struct pinsight_report *report, FILE *out, size_t limit) {
    print_lines(report, out, limit);
    pinsight_attribution_print_functions(report, out, limit);
    print_rest(report, out);
}

const struct pinsight_section pinsight_section_of_attribution = {
    .option = "links",
    .about = "native work (OpenMP, MPI) by the Python lines that caused it, Python that caused\n"
             "none, and native work without Python, in place of the tables",
    .example = "your lines, and their native work",
    .share = 5,
    .screen = print_attribution,
    .csv = write_csv,
    .json = write_json,
    .last = true,
};
