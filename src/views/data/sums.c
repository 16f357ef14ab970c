/* The tables of sums: functions, threads, processes and lines; see data.h. */
#include "base/memory.h"
#include "views/data/batch.h"
#include "views/data/data.h"
#include "views/domain.h"
#include "views/process_name.h"
#include "views/report/attribution.h"
#include "views/report/report.h"

#include <stdlib.h>

/* Adds the sums of a function, in the order of the columns. */
static void add_times(struct pinsight_data_batch *batch, const struct pinsight_times *times) {
    pinsight_data_add(batch, (int64_t)times->calls);
    pinsight_data_add(batch, (int64_t)times->total_ns);
    pinsight_data_add(batch, (int64_t)times->self_ns);
    pinsight_data_add(batch, times->has_range ? (int64_t)times->min_ns : 0);
    pinsight_data_add(batch, times->has_max ? (int64_t)times->max_ns : 0);
    pinsight_data_row_end(batch);
}

static void add_functions(const struct pinsight_data_options *options,
                          struct pinsight_data_batch *batch, const struct pinsight_report *report) {
    for (size_t i = 0; i < report->function_count; i++) {
        const struct pinsight_function_row *row = &report->functions[i];

        if (!pinsight_data_has_function(options, row->name) || !pinsight_data_row(batch))
            continue;
        pinsight_data_add_text(batch, "function");
        pinsight_data_add_text(batch, row->name);
        pinsight_data_add_text(batch, row->module);
        pinsight_data_add_text(batch, row->file);
        pinsight_data_add(batch, row->line);
        pinsight_data_add_text(batch, "");
        add_times(batch, &row->times);
    }
    for (size_t i = 0; i < report->c_call_count; i++) {
        const struct pinsight_c_row *row = &report->c_calls[i];

        if (!pinsight_data_has_function(options, row->name) || !pinsight_data_row(batch))
            continue;
        pinsight_data_add_text(batch, "c_call");
        pinsight_data_add_text(batch, row->name);
        pinsight_data_add_text(batch, row->module);
        pinsight_data_add_text(batch, row->caller_file);
        pinsight_data_add(batch, row->caller_line);
        pinsight_data_add_text(batch, row->caller);
        add_times(batch, &row->times);
    }
}

static void add_threads(struct pinsight_data_batch *batch, const struct pinsight_report *report) {
    for (size_t i = 0; i < report->thread_count && pinsight_data_row(batch); i++) {
        const struct pinsight_thread_row *row = &report->threads[i];
        const struct pinsight_thread *thread = row->thread;

        pinsight_data_add(batch, thread->process->index);
        pinsight_data_add(batch, view_process_rank(thread->process));
        pinsight_data_add(batch, thread->process->pid);
        pinsight_data_add(batch, thread->tid);
        pinsight_data_add(batch, thread->number);
        pinsight_data_add_text(batch, row->name);
        pinsight_data_add(batch, (int64_t)row->calls);
        pinsight_data_add(batch, (int64_t)row->c_calls);
        pinsight_data_add(batch, (int64_t)row->busy_ns);
        pinsight_data_add(batch, (int64_t)row->self_ns);
        pinsight_data_add(batch, (int64_t)row->c_self_ns);
        pinsight_data_add(batch, (int64_t)thread->first_ns);
        pinsight_data_add(batch, (int64_t)thread->last_ns);
        pinsight_data_row_end(batch);
    }
}

static void add_processes(struct pinsight_data_batch *batch, const struct pinsight_report *report) {
    for (size_t i = 0; i < report->model->process_count; i++) {
        const struct pinsight_process *process = report->model->processes[i];
        char *name;

        if (!process->selected || !pinsight_process_is_there(process) || !pinsight_data_row(batch))
            continue;
        name = view_process_full_name(process);
        pinsight_data_add(batch, process->index);
        pinsight_data_add(batch, view_process_rank(process));
        pinsight_data_add(batch, process->pid);
        pinsight_data_add(batch, process->has_info ? process->ppid : -1);
        pinsight_data_add_text(batch, name);
        pinsight_data_add_text(batch, pinsight_report_string(report, process->hostname));
        pinsight_data_add_text(batch, pinsight_report_string(report, process->program));
        pinsight_data_add_text(batch, pinsight_report_string(report, process->command));
        pinsight_data_add(batch, (int64_t)process->events);
        pinsight_data_add(batch, (int64_t)process->first_ns);
        pinsight_data_add(batch, (int64_t)process->last_ns);
        pinsight_data_row_end(batch);
        free(name);
    }
}

static void add_lines(struct pinsight_data_batch *batch, const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < view->call_count && pinsight_data_row(batch); i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];
        const struct pinsight_attribution_function *function = &view->functions[call->function];

        pinsight_data_add_text(batch, function->name);
        pinsight_data_add_text(batch, function->file);
        pinsight_data_add(batch, call->line);
        pinsight_data_add_text(batch, call->kind == PINSIGHT_C_CALL ? "c_call" : "function");
        pinsight_data_add_text(batch, call->callee);
        pinsight_data_add_text(batch, call->callee_file);
        pinsight_data_add(batch, call->callee_line);
        pinsight_data_add(batch, (int64_t)call->calls);
        pinsight_data_add(batch, (int64_t)call->total_ns);
        pinsight_data_add(batch, (int64_t)call->ns);
        pinsight_data_add(batch, (int64_t)call->native_ns);
        pinsight_data_row_end(batch);
    }
}

char *pinsight_data_sums(const struct pinsight_data_options *options,
                         struct pinsight_data_batch *batch) {
    const struct pinsight_report_options whole = {PINSIGHT_REPORT_WHOLE};
    struct pinsight_report_options wanted = whole;
    struct pinsight_report *report;
    char *error = NULL;

    wanted.trace = options->trace;
    wanted.thread = options->thread;
    wanted.process = options->process;
    wanted.ranks = options->ranks;
    report = pinsight_report_read(&wanted, &error);
    if (!report)
        return error;
    switch (options->table) {
    case PINSIGHT_DATA_FUNCTIONS:
        add_functions(options, batch, report);
        break;
    case PINSIGHT_DATA_THREADS:
        add_threads(batch, report);
        break;
    case PINSIGHT_DATA_LINES:
        add_lines(batch, report);
        break;
    default:
        add_processes(batch, report);
    }
    pinsight_report_free(report);
    return NULL;
}
