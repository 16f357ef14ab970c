/* OpenMP on a screen. */
#include "reader/mem.h"
#include "reader/paths.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/openmp.h"
#include "views/text.h"
#include "views/units.h"

#include <stdlib.h>
#include <string.h>

/* Below these widths columns are left out. */
#define WIDTH_FOR_PARTS 130
#define WIDTH_FOR_COSTS 110

/* "solve.c:23", or the object that it is in. */
static char *source_of(const struct pinsight_omp_row *row) {
    const char *source = row->source ? row->source : row->object;
    const char *slash = strrchr(source, '/');

    return pinsight_text_place(slash && slash[1] ? slash + 1 : source,
                               row->source ? row->source_line : 0);
}

/* The function with the user's line, and that line. */
static char *caller_of(const struct pinsight_report *report, const struct pinsight_omp_row *row) {
    const struct pinsight_model *model = report->model;
    uint32_t function =
        row->users == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[row->users].function;

    if (function == PINSIGHT_NONE)
        return pinsight_strdup(row->sums.calls ? "(no Python)" : "(counted)");
    if (!model->functions[function].known)
        return pinsight_strdup("(name not recorded)");
    return pinsight_text_clean(pinsight_report_string(report, model->functions[function].name));
}

static char *line_of(const struct pinsight_report *report, const struct pinsight_omp_row *row) {
    const struct pinsight_model *model = report->model;
    uint32_t function =
        row->users == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[row->users].function;

    if (function == PINSIGHT_NONE)
        return pinsight_strdup("");
    return pinsight_text_place(pinsight_report_string(report, model->functions[function].file),
                               model->paths[row->users].line);
}

static uint64_t calls_of(const struct pinsight_omp_row *row) {
    return row->sums.calls + row->counted.calls;
}

static uint64_t total_of(const struct pinsight_omp_row *row) {
    return row->sums.total_ns + row->counted.total_ns;
}

/* Waiting of all threads, but for the barrier that ends the region. */
static uint64_t waiting_of(const struct pinsight_omp_region *sums) {
    uint64_t waiting = 0;

    for (size_t i = 0; i < PINSIGHT_WAIT_COUNT; i++)
        waiting += sums->wait_ns[i];
    return waiting - sums->imbalance_ns;
}

static void threads_cell(struct pinsight_table *table, const struct pinsight_omp_row *row) {
    uint32_t threads =
        row->sums.threads > row->counted_threads ? row->sums.threads : row->counted_threads;

    pinsight_table_cell(table, threads ? pinsight_format("%u", threads) : pinsight_strdup("-"));
}

static void imbalance_cell(struct pinsight_table *table, const struct pinsight_omp_region *sums) {
    double imbalance = pinsight_omp_imbalance(sums);

    pinsight_table_cell(table,
                        imbalance > 0 ? pinsight_format("%.2f", imbalance) : pinsight_strdup("-"));
}

static void measured_cell(struct pinsight_table *table, const struct pinsight_omp_region *sums,
                          uint64_t ns) {
    if (sums->measured)
        pinsight_time_cell(table, ns);
    else
        pinsight_table_cell(table, pinsight_strdup("-"));
}

static void print_places(const struct pinsight_report *report, FILE *out, const char *title,
                         size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;
    struct pinsight_table table = pinsight_section_table(report);
    size_t shown =
        pinsight_section_rows(report, out, title, "by total time", view->place_count, limit);
    bool costs = report->options.width >= WIDTH_FOR_COSTS;

    pinsight_table_column(&table, "total", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "mean", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "threads", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "imbalance", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "lost", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "waiting", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (costs)
        pinsight_table_column(&table, "fork+join", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "region", PINSIGHT_FLEXIBLE, PINSIGHT_C);
    pinsight_table_column(&table, "in", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    pinsight_table_column(&table, "started by", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "at", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_omp_row *row = &view->places[i];
        const struct pinsight_omp_region *sums = &row->sums;

        pinsight_time_cell(&table, total_of(row));
        pinsight_number_cell(&table, calls_of(row));
        pinsight_time_cell(&table, calls_of(row) ? total_of(row) / calls_of(row) : 0);
        threads_cell(&table, row);
        imbalance_cell(&table, sums);
        measured_cell(&table, sums, sums->imbalance_ns);
        measured_cell(&table, sums, waiting_of(sums));
        if (costs)
            measured_cell(&table, sums, sums->fork_ns + sums->join_ns);
        pinsight_table_cell(&table, pinsight_text_clean(row->name));
        pinsight_table_cell(&table, source_of(row));
        pinsight_table_cell(&table, caller_of(report, row));
        pinsight_table_cell(&table, line_of(report, row));
    }
    pinsight_table_print(&table, out);
}

/* One frame of a path; the user's line stands out. */
static void print_frame(const struct pinsight_report *report, FILE *out, uint32_t frame,
                        bool users) {
    const struct pinsight_model *model = report->model;
    uint32_t function = model->paths[frame].function;
    bool known = function != PINSIGHT_NONE && model->functions[function].known;
    char *name =
        known ? pinsight_text_clean(pinsight_report_string(report, model->functions[function].name))
              : pinsight_strdup("(name not recorded)");
    char *place = pinsight_text_place(
        known ? pinsight_report_string(report, model->functions[function].file) : "",
        model->paths[frame].line);

    fputs(users ? " →           " : "             ", out);
    pinsight_styled(out, report->options.colour, PINSIGHT_PYTHON, "%s", name);
    pinsight_styled(out, report->options.colour, PINSIGHT_DIM, "  %s\n", place);
    free(name);
    free(place);
}

/* Each region with the whole call path that started it. */
static void print_paths(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;
    size_t shown =
        pinsight_section_rows(report, out, "Parallel regions, and the call paths that started them",
                              "by total time; → is your line", view->region_count, limit);

    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_omp_row *row = &view->regions[i];
        char time[PINSIGHT_UNITS_SIZE], calls[PINSIGHT_UNITS_SIZE];
        char *name = pinsight_text_clean(row->name), *source = source_of(row);
        size_t count;
        uint32_t *frames = pinsight_path_frames(report->model, row->path, &count);

        pinsight_units_time(time, total_of(row));
        fprintf(out, "%*s%s  ", (int)(10 - pinsight_text_width(time)), "", time);
        pinsight_styled(out, report->options.colour, PINSIGHT_C, "%s", name);
        fprintf(out, "  %s  %s call%s\n", source, pinsight_units_count(calls, calls_of(row)),
                calls_of(row) == 1 ? "" : "s");
        for (size_t f = 0; f < count; f++)
            print_frame(report, out, frames[f], frames[f] == row->users);
        free(frames);
        free(source);
        free(name);
    }
}

static void function_columns(struct pinsight_table *table, bool parts) {
    pinsight_table_column(table, "all", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    if (parts) {
        pinsight_table_column(table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(table, "Python", PINSIGHT_RIGHT, PINSIGHT_PYTHON);
        pinsight_table_column(table, "C", PINSIGHT_RIGHT, PINSIGHT_C);
    }
    pinsight_table_column(table, "OpenMP", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "work", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "imbalance", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "waiting", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "runtime", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "regions", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "function", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    pinsight_table_column(table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
}

/* A row; name and place are taken over. */
static void function_cells(const struct pinsight_omp_view *view, struct pinsight_table *table,
                           const struct pinsight_omp_function *row, bool parts, char *name,
                           char *place) {
    uint64_t all = row->python_ns + row->c_ns + row->regions.total_ns;

    pinsight_time_cell(table, all);
    if (parts) {
        pinsight_share_cell(table, all, view->wall_ns);
        pinsight_time_cell(table, row->python_ns);
        pinsight_time_cell(table, row->c_ns);
    }
    pinsight_time_cell(table, row->regions.total_ns);
    pinsight_time_cell(table, row->regions.work_ns);
    pinsight_time_cell(table, row->regions.imbalance_ns);
    pinsight_time_cell(table, row->regions.waiting_ns);
    pinsight_time_cell(table, row->regions.runtime_ns);
    pinsight_number_cell(table, row->regions.calls);
    pinsight_table_cell(table, name);
    pinsight_table_cell(table, place);
}

/* Functions that caused regions each on a line; the others together, with what the limit leaves
 * out, so that the lines add up. */
static void print_functions(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;
    struct pinsight_table table = pinsight_section_table(report);
    struct pinsight_omp_function rest = {0};
    bool parts = report->options.width >= WIDTH_FOR_PARTS;
    char wall[PINSIGHT_UNITS_SIZE], share[PINSIGHT_UNITS_SIZE], sum[PINSIGHT_UNITS_SIZE];
    size_t shown = 0, others = 0;

    pinsight_head_section(report, out, "Python functions, with the regions that they caused",
                          "in the calling thread; the lines add up");
    function_columns(&table, parts);
    for (size_t i = 0; i < view->function_count; i++) {
        const struct pinsight_omp_function *row = &view->functions[i];

        if (row->regions.calls && (!limit || shown < limit)) {
            shown++;
            function_cells(view, &table, row, parts,
                           pinsight_text_clean(row->name ? row->name : "(no Python)"),
                           row->name ? pinsight_text_place(row->file, row->line)
                                     : pinsight_strdup(""));
            continue;
        }
        others++;
        rest.python_ns += row->python_ns;
        rest.c_ns += row->c_ns;
        rest.regions.calls += row->regions.calls;
        rest.regions.total_ns += row->regions.total_ns;
        rest.regions.work_ns += row->regions.work_ns;
        rest.regions.imbalance_ns += row->regions.imbalance_ns;
        rest.regions.waiting_ns += row->regions.waiting_ns;
        rest.regions.runtime_ns += row->regions.runtime_ns;
    }
    if (others)
        function_cells(view, &table, &rest, parts,
                       pinsight_format("(%zu other function%s)", others, others == 1 ? "" : "s"),
                       pinsight_strdup(""));
    if (view->elsewhere_ns)
        function_cells(view, &table,
                       &(struct pinsight_omp_function){.python_ns = view->elsewhere_ns}, parts,
                       pinsight_strdup("(not recorded)"), pinsight_strdup(""));
    pinsight_table_print(&table, out);
    fprintf(out, "   %s of %s recorded", pinsight_units_time(sum, view->recorded_ns),
            pinsight_units_time(wall, view->wall_ns));
    if (view->wall_ns)
        fprintf(out, " (%s %%)", pinsight_units_percent(share, view->recorded_ns, view->wall_ns));
    if (view->callers > 1)
        fprintf(out, ", in %u threads", view->callers);
    putc('\n', out);
}

static void print_waits(const struct pinsight_report *report, FILE *out) {
    static const char *const names[] = {"implicit barriers",
                                        "explicit barriers",
                                        "taskwait",
                                        "taskgroups",
                                        "locks",
                                        "critical",
                                        "atomic",
                                        "ordered"};
    const struct pinsight_omp_view *view = report->openmp;
    uint64_t waits[PINSIGHT_WAIT_COUNT] = {0}, lost = 0;
    char time[PINSIGHT_UNITS_SIZE];
    bool any = false;

    for (size_t i = 0; i < view->region_count; i++) {
        for (size_t w = 0; w < PINSIGHT_WAIT_COUNT; w++)
            waits[w] += view->regions[i].sums.wait_ns[w];
        lost += view->regions[i].sums.imbalance_ns;
    }
    for (size_t w = 0; w < PINSIGHT_WAIT_COUNT; w++) {
        if (!waits[w])
            continue;
        fprintf(out, "%s%s %s", any ? " · " : "   Waiting, all threads together: ", names[w],
                pinsight_units_time(time, waits[w]));
        if (w == PINSIGHT_WAIT_IMPLICIT_BARRIER && lost)
            fprintf(out, " (%s of it at the ends of regions: lost)",
                    pinsight_units_time(time, lost));
        any = true;
    }
    if (any)
        putc('\n', out);
}

static int compare_numbers(const void *left, const void *right) {
    const struct pinsight_thread *a = (*(const struct pinsight_thread_row *const *)left)->thread;
    const struct pinsight_thread *b = (*(const struct pinsight_thread_row *const *)right)->thread;

    if (a->process->pid != b->process->pid)
        return a->process->pid < b->process->pid ? -1 : 1;
    if (a->openmp->number != b->openmp->number)
        return a->openmp->number < b->openmp->number ? -1 : 1;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

/* The threads that were in OpenMP, to be freed. */
static const struct pinsight_thread_row **by_number(const struct pinsight_report *report,
                                                    size_t count) {
    const struct pinsight_thread_row **rows = pinsight_calloc(count, sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; i < report->thread_count; i++)
        if (report->threads[i].thread->openmp)
            rows[n++] = &report->threads[i];
    qsort(rows, count, sizeof(*rows), compare_numbers);
    return rows;
}

void pinsight_section_openmp_threads(const struct pinsight_report *report, FILE *out,
                                     size_t limit) {
    struct pinsight_table table = pinsight_section_table(report);
    const struct pinsight_thread_row **rows;
    size_t count = 0, wanted;
    bool several = report->model->process_count - report->model->adopted_count > 1;

    for (size_t i = 0; i < report->thread_count; i++)
        count += report->threads[i].thread->openmp != NULL;
    if (!count)
        return;
    wanted =
        pinsight_section_rows(report, out, "Threads of OpenMP", "time in regions", count, limit);
    pinsight_table_column(&table, "OpenMP", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "in teams", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "work", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "imbalance", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "waiting", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "regions", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (several)
        pinsight_table_column(&table, "process", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "thread", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "name", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    rows = by_number(report, count);
    for (size_t i = 0; i < wanted; i++) {
        const struct pinsight_thread *thread = rows[i]->thread;
        const struct pinsight_omp_thread *openmp = thread->openmp;

        pinsight_table_cell(&table, pinsight_format("%u", openmp->number));
        pinsight_table_cell(&table,
                            !openmp->in_team ? pinsight_strdup("-")
                            : openmp->lowest == openmp->highest
                                ? pinsight_format("%u", openmp->lowest)
                                : pinsight_format("%u-%u", openmp->lowest, openmp->highest));
        pinsight_time_cell(&table, openmp->work_ns);
        pinsight_time_cell(&table, openmp->imbalance_ns);
        pinsight_time_cell(&table, openmp->waiting_ns);
        pinsight_number_cell(&table, openmp->parts);
        if (several)
            pinsight_table_cell(&table, pinsight_format("%lld", (long long)thread->process->pid));
        pinsight_table_cell(&table, thread->number < 0
                                        ? pinsight_format("tid %u", thread->tid)
                                        : pinsight_format("%lld", (long long)thread->number));
        pinsight_table_cell(&table, pinsight_text_clean(rows[i]->name));
    }
    pinsight_table_print(&table, out);
    free(rows);
}

void pinsight_section_openmp(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_omp_seen(report)) {
        pinsight_head_section(report, out, "OpenMP", NULL);
        pinsight_paragraph(out, false, PINSIGHT_PLAIN, report->options.width, "   ",
                           pinsight_omp_none(report));
        return;
    }
    if (report->openmp->function_count)
        print_functions(report, out, limit);
    if (report->options.tree)
        print_paths(report, out, limit);
    else if (report->openmp->place_count)
        print_places(report, out, "Parallel regions", limit);
    print_waits(report, out);
    pinsight_section_openmp_threads(report, out, limit);
}

void pinsight_section_openmp_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (report->openmp->place_count)
        print_places(report, out, "OpenMP regions", limit);
}
