/* Reads a trace for a report, and sorts its rows. */
#include "views/report/report.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/ranks.h"
#include "reader/core/counted.h"
#include "reader/trace.h"
#include "views/attribution_walk.h"
#include "views/domain.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/report/bar.h"
#include "views/report/not_recorded.h"
#include "views/report/rows.h"
#include "views/report/waited.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sort_key(enum pinsight_sort sort, const struct pinsight_times *times) {
    switch (sort) {
    case PINSIGHT_SORT_TOTAL:
        return times->total_ns;
    case PINSIGHT_SORT_CALLS:
        return times->calls;
    case PINSIGHT_SORT_MEAN:
        return times->mean_ns;
    case PINSIGHT_SORT_MIN:
        return times->min_ns;
    case PINSIGHT_SORT_MAX:
        return times->max_ns;
    case PINSIGHT_SORT_NAME:
        return 0;
    default:
        return times->self_ns;
    }
}

static int compare_functions(const void *left, const void *right, void *sort) {
    const struct pinsight_function_row *a = left, *b = right;
    enum pinsight_sort by = *(const enum pinsight_sort *)sort;

    return BY(sort_key(by, &b->times), sort_key(by, &a->times)) ?: strcmp(a->name, b->name)
        ?: strcmp(a->file, b->file) ?: BY(a->line, b->line);
}

static int compare_c_rows(const void *left, const void *right, void *sort) {
    const struct pinsight_c_row *a = left, *b = right;
    enum pinsight_sort by = *(const enum pinsight_sort *)sort;

    return BY(sort_key(by, &b->times), sort_key(by, &a->times)) ?: strcmp(a->name, b->name)
        ?: strcmp(a->caller_file ? a->caller_file : "", b->caller_file ? b->caller_file : "")
        ?: BY(a->caller_line, b->caller_line);
}

/* Returns the number of a group or a thread that the rows are sorted by. */
static uint64_t one_of(enum pinsight_sort sort, uint64_t total, uint64_t calls, uint64_t self) {
    return sort == PINSIGHT_SORT_TOTAL   ? total
           : sort == PINSIGHT_SORT_CALLS ? calls
           : sort == PINSIGHT_SORT_NAME  ? 0
                                         : self;
}

static uint64_t group_key(enum pinsight_sort sort, const struct pinsight_group_row *row) {
    return one_of(sort, row->total_ns, row->calls + row->c_calls, row->self_ns + row->c_self_ns);
}

static int compare_groups(const void *left, const void *right, void *sort) {
    const struct pinsight_group_row *a = left, *b = right;
    enum pinsight_sort by = *(const enum pinsight_sort *)sort;

    return BY(group_key(by, b), group_key(by, a)) ?: strcmp(a->name, b->name);
}

static uint64_t thread_key(enum pinsight_sort sort, const struct pinsight_thread_row *row) {
    return one_of(sort, row->busy_ns, row->calls + row->c_calls, row->self_ns + row->c_self_ns);
}

/* Equal threads are sorted by their processes and numbers. */
static int compare_threads(const void *left, const void *right, void *sort) {
    const struct pinsight_thread_row *a = left, *b = right;
    enum pinsight_sort by = *(const enum pinsight_sort *)sort;

    return BY(thread_key(by, b), thread_key(by, a)) ?: strcmp(a->name, b->name)
        ?: BY(a->thread->process->pid, b->thread->process->pid)
        ?: BY(a->thread->number, b->thread->number);
}

static void pinsight_report_sort(struct pinsight_report *report, enum pinsight_sort sort) {
    qsort_r(report->functions, report->function_count, sizeof(*report->functions),
            compare_functions, &sort);
    qsort_r(report->c_calls, report->c_call_count, sizeof(*report->c_calls), compare_c_rows, &sort);
    qsort_r(report->callees, report->callee_count, sizeof(*report->callees), compare_c_rows, &sort);
    qsort_r(report->groups, report->group_count, sizeof(*report->groups), compare_groups, &sort);
    qsort_r(report->threads, report->thread_count, sizeof(*report->threads), compare_threads,
            &sort);
}

static enum pinsight_group_by group_by(const struct pinsight_report_options *options) {
    switch (options->by) {
    case PINSIGHT_VIEW_MODULE:
        return PINSIGHT_BY_MODULE;
    case PINSIGHT_VIEW_FILE:
        return PINSIGHT_BY_FILE;
    default:
        return options->modules ? PINSIGHT_BY_MODULE : PINSIGHT_BY_NOTHING;
    }
}

/* Makes the contents of a report from a complete model. */
static void make_all(struct pinsight_report *report, struct pinsight_attribution_walk *walk) {
    pinsight_rows_make(report);
    report->by_path = pinsight_counted_is_all(report->model);
    if (report->by_path)
        pinsight_attribution_walk_counted(walk);
    pinsight_not_recorded_make(report);
    pinsight_report_sort(report, report->options.sort);
    report->openmp = pinsight_omp_view_make(report);
    report->mpi = pinsight_mpi_view_make(report);
    report->attribution = pinsight_attribution_make(report, walk);
    report->whole_ns = pinsight_bar_whole_ns(report);
    pinsight_waited_make(report);
    report->followed = pinsight_attribution_walk_followed(walk);
}

/* Finds the processes of some ranks. Without a launcher's number, a rank is known only when it
 * initializes MPI. The rank's earlier events belong to it, too. Therefore this function reads the
 * trace separately. Returns whether it could be read. */
static bool find_ranks(struct pinsight_report *report, struct pinsight_map *only) {
    const struct pinsight_report_options *options = &report->options;
    const struct pinsight_model_options all = {.thread = -1, .process = -1, .names_only = true};
    const struct trace_observers observers = {.stop = options->stop};
    struct pinsight_model *model = pinsight_model_new(&all);
    bool is_read = trace_read(options->trace, model, &observers, &report->source) == 0;

    for (size_t i = 0; is_read && i < model->process_count; i++) {
        const struct pinsight_process *process = model->processes[i];

        if (pinsight_ranks_have(options->ranks, view_process_rank(process)))
            pinsight_map_set(only,
                             pinsight_model_key(process->host, process->pid, process->instance), 0);
    }
    pinsight_model_free(model);
    if (is_read) {
        pinsight_source_result_clear(&report->source);
        report->source = (struct pinsight_source_result){0};
    }
    return is_read;
}

struct pinsight_report *pinsight_report_read(const struct pinsight_report_options *options,
                                             char **error) {
    struct pinsight_report *report = pinsight_calloc(1, sizeof(*report));
    struct pinsight_model_options model_options = {.thread = options->thread,
                                                   .process = options->process,
                                                   .region = options->region,
                                                   .tree = options->tree,
                                                   .held_ns = (uint64_t)options->held_ms * 1000000,
                                                   .histograms = options->histograms,
                                                   .group_by = group_by(options)};
    const struct trace_observers observers = {.progress = options->progress, .stop = options->stop};
    struct pinsight_attribution_walk walk = {0};
    struct pinsight_map only = {0};

    report->options = *options;
    bool is_read = !options->ranks || find_ranks(report, &only);
    if (options->ranks)
        model_options.only = &only;
    report->model = pinsight_model_new(&model_options);
    if (options->mine) {
        pinsight_code_folders_mine(&report->model->code_folders, options->mine);
        report->model->code_folders.mine.final = true;
    }
    pinsight_attribution_walk_start(&walk, report->model);
    is_read =
        is_read && trace_read(options->trace, report->model, &observers, &report->source) == 0;
    pinsight_map_clear(&only);
    report->model->options.only = NULL;
    if (is_read)
        make_all(report, &walk);
    /* The model outlives the walk. */
    report->model->timeline = NULL;
    pinsight_attribution_walk_clear(&walk);
    if (is_read)
        return report;
    *error = report->source.error;
    report->source.error = NULL;
    pinsight_report_free(report);
    return NULL;
}

void pinsight_report_free(struct pinsight_report *report) {
    if (!report)
        return;
    pinsight_model_free(report->model);
    pinsight_source_result_clear(&report->source);
    for (size_t i = 0; i < report->function_count; i++)
        pinsight_histogram_free(report->functions[i].histogram);
    for (size_t i = 0; i < report->c_call_count; i++)
        pinsight_histogram_free(report->c_calls[i].histogram);
    PINSIGHT_FREE(report->functions, report->c_calls, report->callees, report->groups,
                  report->threads);
    pinsight_omp_view_free(report->openmp);
    pinsight_mpi_view_free(report->mpi);
    pinsight_attribution_free(report->attribution);
    if (report->followed)
        view_follower()->free(report->followed);
    free(report->waits);
    free(report);
}

bool pinsight_report_has_ready(const void *of_report) {
    const struct pinsight_report *report = of_report;

    return report->ready_ns > (report->ready_ns + report->waiting_ns) / 100;
}

bool pinsight_report_has_memory(const void *of_report) {
    const struct pinsight_model *model = ((const struct pinsight_report *)of_report)->model;

    for (size_t i = 0; i < model->process_count; i++)
        if (model->processes[i]->resident_most)
            return true;
    return false;
}

bool pinsight_report_has_domain(const struct pinsight_report *report, const char *name) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++)
            if (!strcmp(pinsight_report_string(report, model->processes[i]->domains[d].name), name))
                return true;
    return false;
}
