/* Links on a screen. */
#include "views/links.h"

#include "reader/mem.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/text.h"
#include "views/units.h"

#include <stdlib.h>

/* Below these widths columns are left out. */
#define WIDTH_FOR_BYTES 100
#define WIDTH_FOR_WAITING 84
#define WIDTH_FOR_ALL 76
#define WIDTH_FOR_SHARES 90

/* A line or what stands for one, with its work of one domain. */
struct row {
    const struct pinsight_links_function *function; /* NULL without Python */
    int32_t line;
    unsigned domain;
    const struct pinsight_links_work *work;
};

static int by_wall(const void *left, const void *right) {
    const struct row *a = left, *b = right;

    if (a->work->wall_ns != b->work->wall_ns)
        return a->work->wall_ns < b->work->wall_ns ? 1 : -1;
    if (a->work->thread_ns != b->work->thread_ns)
        return a->work->thread_ns < b->work->thread_ns ? 1 : -1;
    return (a->line > b->line) - (a->line < b->line);
}

static void add_rows(struct row *rows, size_t *count,
                     const struct pinsight_links_function *function, int32_t line,
                     const struct pinsight_links_work *work) {
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++)
        if (pinsight_links_any(&work[d]))
            rows[(*count)++] = (struct row){function, line, d, &work[d]};
}

/* Every line with every domain, what no line is known of, and what no Python caused. To be freed.
 */
static struct row *make_rows(const struct pinsight_links_view *view, size_t *count) {
    struct row *rows =
        pinsight_calloc((view->line_count + 2) * PINSIGHT_LINKS_DOMAINS, sizeof(*rows));

    *count = 0;
    for (size_t i = 0; i < view->line_count; i++)
        add_rows(rows, count, &view->functions[view->lines[i].function], view->lines[i].line,
                 view->lines[i].work);
    for (size_t i = 0; i < view->function_count; i++)
        if (!view->functions[i].name)
            add_rows(rows, count, &view->functions[i], 0, view->functions[i].work);
    add_rows(rows, count, NULL, 0, view->alone);
    qsort(rows, *count, sizeof(*rows), by_wall);
    return rows;
}

static void size_cell(struct pinsight_table *table, uint64_t bytes) {
    char buffer[PINSIGHT_UNITS_SIZE];

    pinsight_table_cell(table, pinsight_strdup(bytes ? pinsight_units_size(buffer, bytes) : "-"));
}

static char *name_of(const struct pinsight_links_function *function) {
    if (!function)
        return pinsight_strdup("(no Python)");
    return pinsight_text_clean(function->name ? function->name : "(not known)");
}

static void print_lines(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_links_view *view = report->links;
    struct pinsight_table table = pinsight_section_table(report);
    bool bytes = report->options.width >= WIDTH_FOR_BYTES &&
                 (view->all[PINSIGHT_LINKS_MPI].calls ||
                  pinsight_links_any(&view->all[PINSIGHT_LINKS_CUDA]));
    bool waiting = report->options.width >= WIDTH_FOR_WAITING;
    bool threads = report->options.width >= WIDTH_FOR_ALL;
    size_t count, shown;
    struct row *rows = make_rows(view, &count);

    if (!count) {
        free(rows);
        return;
    }
    shown = pinsight_section_rows(report, out, "Your lines, with the work they caused",
                                  "by wall time", count, limit);
    pinsight_table_column(&table, "wall", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "in", PINSIGHT_LEFT, PINSIGHT_C);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (threads)
        pinsight_table_column(&table, "threads", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (waiting)
        pinsight_table_column(&table, "waiting", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (bytes) {
        pinsight_table_column(&table, "sent", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "received", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    }
    pinsight_table_column(&table, "caused by", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "at", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < shown; i++) {
        const struct row *row = &rows[i];

        pinsight_time_cell(&table, row->work->wall_ns);
        pinsight_share_cell(&table, row->work->wall_ns, view->wall_ns);
        pinsight_table_cell(&table, pinsight_strdup(pinsight_links_name(row->domain)));
        pinsight_number_cell(&table, row->work->calls);
        if (threads)
            pinsight_time_cell(&table, row->work->thread_ns);
        if (waiting)
            pinsight_time_cell(&table, row->work->waiting_ns);
        if (bytes) {
            size_cell(&table, row->work->sent_bytes);
            size_cell(&table, row->work->received_bytes);
        }
        pinsight_table_cell(&table, name_of(row->function));
        pinsight_table_cell(&table, row->function
                                        ? pinsight_text_place(row->function->file, row->line)
                                        : pinsight_strdup(""));
    }
    pinsight_table_print(&table, out);
    free(rows);
}

/* Shares of functions give way where there are many domains and little room. */
static bool has_shares(const struct pinsight_report *report) {
    unsigned domains = 0;

    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++)
        domains += pinsight_links_any(&report->links->all[d]);
    return domains < 2 || report->options.width >= WIDTH_FOR_SHARES;
}

/* A row; name and place are taken over. */
static void function_cells(const struct pinsight_report *report, struct pinsight_table *table,
                           const struct pinsight_links_function *row, const bool *domains,
                           char *name, char *place) {
    const struct pinsight_links_view *view = report->links;

    pinsight_time_cell(table, pinsight_links_function_ns(row));
    if (has_shares(report))
        pinsight_share_cell(table, pinsight_links_function_ns(row), view->wall_ns);
    pinsight_time_cell(table, row->python_ns);
    pinsight_time_cell(table, row->c_ns);
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++)
        if (domains[d])
            pinsight_time_cell(table, row->work[d].wall_ns);
    pinsight_table_cell(table, name);
    if (report->options.width >= WIDTH_FOR_ALL)
        pinsight_table_cell(table, place);
    else
        free(place);
}

static void add_function(struct pinsight_links_function *to,
                         const struct pinsight_links_function *from) {
    to->python_ns += from->python_ns;
    to->c_ns += from->c_ns;
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++)
        to->work[d].wall_ns += from->work[d].wall_ns;
}

/* What the limit leaves out stands together, so that the lines add up. */
static void print_functions(const struct pinsight_report *report, FILE *out, size_t limit,
                            bool brief) {
    const struct pinsight_links_view *view = report->links;
    struct pinsight_table table = pinsight_section_table(report);
    struct pinsight_links_function rest = {.file = ""}, alone = {.file = ""};
    bool domains[PINSIGHT_LINKS_DOMAINS];
    size_t shown = pinsight_rows_shown(view->function_count, limit);
    size_t others = view->function_count - shown;
    char *remark;

    if (!view->function_count)
        return;
    remark = brief && others ? pinsight_format("by time, %zu of %zu (report --links has all)",
                                               shown, view->function_count)
                             : pinsight_strdup(brief ? "by time" : "the lines add up");
    pinsight_head_section(report, out, "Your functions, with their libraries", remark);
    free(remark);
    pinsight_table_column(&table, "all", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    if (has_shares(report))
        pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "Python", PINSIGHT_RIGHT, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "C", PINSIGHT_RIGHT, PINSIGHT_C);
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++) {
        domains[d] = pinsight_links_any(&view->all[d]);
        alone.work[d] = view->alone[d];
        if (domains[d])
            pinsight_table_column(&table, pinsight_links_name(d), PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    }
    pinsight_table_column(&table, "function", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    if (report->options.width >= WIDTH_FOR_ALL)
        pinsight_table_column(&table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < view->function_count; i++) {
        const struct pinsight_links_function *row = &view->functions[i];

        if (i < shown)
            function_cells(report, &table, row, domains, name_of(row),
                           row->name ? pinsight_text_place(row->file, row->line)
                                     : pinsight_strdup(""));
        else
            add_function(&rest, row);
    }
    if (others && !brief)
        function_cells(report, &table, &rest, domains,
                       pinsight_format("(%zu other function%s)", others, others == 1 ? "" : "s"),
                       pinsight_strdup(""));
    if (pinsight_links_function_ns(&alone) && !brief)
        function_cells(report, &table, &alone, domains, pinsight_strdup("(no Python)"),
                       pinsight_strdup(""));
    if (view->elsewhere_ns && !brief) {
        pinsight_time_cell(&table, view->elsewhere_ns);
        if (has_shares(report))
            pinsight_share_cell(&table, view->elsewhere_ns, view->wall_ns);
        for (size_t c = has_shares(report) ? 2 : 1; table.columns[c].align == PINSIGHT_RIGHT; c++)
            pinsight_table_cell(&table, pinsight_strdup("-"));
        pinsight_table_cell(&table, pinsight_strdup("(nothing recorded)"));
        if (report->options.width >= WIDTH_FOR_ALL)
            pinsight_table_cell(&table, pinsight_strdup(""));
    }
    pinsight_table_print(&table, out);
}

static void print_paragraph(const struct pinsight_report *report, FILE *out, char *text) {
    pinsight_paragraph(out, report->options.colour, PINSIGHT_PLAIN, report->options.width, "   ",
                       text);
    free(text);
}

/* Python overhead, and native work that no Python caused. */
static void print_rest(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_links_view *view = report->links;
    char time[PINSIGHT_UNITS_SIZE], share[PINSIGHT_UNITS_SIZE], number[PINSIGHT_UNITS_SIZE];
    char whole[PINSIGHT_UNITS_SIZE], in_threads[PINSIGHT_UNITS_SIZE];
    uint64_t overhead = view->python_ns + view->c_ns;

    pinsight_head_section(report, out, "Not linked", NULL);
    print_paragraph(report, out,
                    pinsight_format("Python overhead: %s, %s %% of %s in %u thread%s, had no "
                                    "native work under it",
                                    pinsight_units_time(time, overhead),
                                    pinsight_units_percent(share, overhead, view->wall_ns),
                                    pinsight_units_time(whole, view->wall_ns), view->callers,
                                    view->callers == 1 ? "" : "s"));
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++) {
        const struct pinsight_links_work *alone = &view->alone[d];

        if (pinsight_links_any(alone))
            print_paragraph(
                report, out,
                pinsight_format("%s with no Python above it: %s, %s %s, %s call%s",
                                pinsight_links_name(d), pinsight_units_time(time, alone->wall_ns),
                                d == PINSIGHT_LINKS_CUDA ? "on devices" : "in all threads",
                                pinsight_units_time(in_threads, alone->thread_ns),
                                pinsight_units_count(number, alone->calls),
                                alone->calls == 1 ? "" : "s"));
        if (view->counted[d].calls)
            print_paragraph(
                report, out,
                pinsight_format("%s that was only counted (MONITORING), so its lines are not "
                                "known: %s call%s, %s",
                                pinsight_links_name(d),
                                pinsight_units_count(number, view->counted[d].calls),
                                view->counted[d].calls == 1 ? "" : "s",
                                pinsight_units_time(time, view->counted[d].total_ns)));
    }
}

void pinsight_section_links_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    print_functions(report, out, limit, true);
}

void pinsight_section_links(const struct pinsight_report *report, FILE *out, size_t limit) {
    print_lines(report, out, limit);
    print_functions(report, out, limit, false);
    print_rest(report, out);
}
