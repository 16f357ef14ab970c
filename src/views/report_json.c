/* The report as JSON, for other programs. docs/report-json.md describes it; a change that takes
 * something away or gives it another meaning raises FORMAT_VERSION. */
#include "views/control.h"
#include "views/cuda.h"
#include "views/imports.h"
#include "views/json.h"
#include "views/lexgion.h"
#include "views/links.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/report.h"
#include "views/tree.h"

#include <stdlib.h>

#include "pinsight_version.h"

#define FORMAT_VERSION 1

/* How many of count rows are shown. JSON has all of them unless a limit was given. */
static size_t limited(const struct pinsight_report *report, size_t count) {
    int64_t limit = report->options.limit;

    return limit > 0 && (uint64_t)limit < count ? (size_t)limit : count;
}

static void write_times(struct pinsight_json *json, const struct pinsight_times *times) {
    pinsight_json_unsigned(json, "calls", times->calls);
    pinsight_json_unsigned(json, "total_ns", times->total_ns);
    pinsight_json_unsigned(json, "self_ns", times->self_ns);
    pinsight_json_unsigned(json, "mean_ns", times->mean_ns);
    if (times->has_range) {
        pinsight_json_unsigned(json, "min_ns", times->min_ns);
        pinsight_json_unsigned(json, "max_ns", times->max_ns);
    } else {
        pinsight_json_null(json, "min_ns");
        pinsight_json_null(json, "max_ns");
    }
    pinsight_json_unsigned(json, "counted_calls", times->counted_calls);
    pinsight_json_unsigned(json, "counted_total_ns", times->counted_total_ns);
    pinsight_json_unsigned(json, "counted_self_ns", times->counted_self_ns);
}

/* How a configuration names it, or null. */
static void write_lexgion(struct pinsight_json *json, const char *file, const char *name,
                          bool known) {
    char *selector = known ? pinsight_lexgion_selector(file, name) : NULL;

    pinsight_json_text(json, "lexgion", selector);
    free(selector);
}

static void write_head(struct pinsight_json *json, const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    pinsight_json_unsigned(json, "format_version", FORMAT_VERSION);
    pinsight_json_string(json, "pinsight_version", PINSIGHT_VERSION);
    pinsight_json_open(json, "trace", '{');
    pinsight_json_string(json, "path", report->options.trace);
    pinsight_json_unsigned(json, "bytes", report->source.bytes);
    pinsight_json_unsigned(json, "events", report->source.known_events);
    pinsight_json_unsigned(json, "other_events",
                           report->source.events - report->source.known_events);
    pinsight_json_bool(json, "later_chunk", report->source.later_chunk);
    pinsight_json_unsigned(json, "begin_ns", model->first_ns);
    pinsight_json_unsigned(json, "end_ns", model->last_ns);
    pinsight_json_unsigned(json, "duration_ns", model->last_ns - model->first_ns);
    pinsight_json_unsigned(json, "python_self_ns", report->python_ns);
    pinsight_json_unsigned(json, "c_self_ns", report->c_ns);
    pinsight_json_close(json, '}');
    pinsight_json_open(json, "filter", '{');
    if (report->options.thread >= 0)
        pinsight_json_signed(json, "thread", report->options.thread);
    else
        pinsight_json_null(json, "thread");
    if (report->options.process >= 0)
        pinsight_json_signed(json, "process", report->options.process);
    else
        pinsight_json_null(json, "process");
    pinsight_json_close(json, '}');
}

static void write_functions(struct pinsight_json *json, const struct pinsight_report *report) {
    pinsight_json_open(json, "functions", '[');
    for (size_t i = 0; i < limited(report, report->function_count); i++) {
        const struct pinsight_function_row *row = &report->functions[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", row->name);
        pinsight_json_string(json, "file", row->file);
        pinsight_json_signed(json, "line", row->line);
        pinsight_json_text(json, "module", row->module);
        write_times(json, &row->times);
        write_lexgion(json, row->file, row->name, row->file[0] != '\0');
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_c_calls(struct pinsight_json *json, const struct pinsight_report *report) {
    pinsight_json_open(json, "c_calls", '[');
    for (size_t i = 0; i < limited(report, report->c_call_count); i++) {
        const struct pinsight_c_row *row = &report->c_calls[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", row->name);
        pinsight_json_text(json, "module", row->module);
        pinsight_json_text(json, "caller", row->caller);
        pinsight_json_text(json, "caller_file", row->caller_file);
        if (row->caller)
            pinsight_json_signed(json, "caller_line", row->caller_line);
        else
            pinsight_json_null(json, "caller_line");
        write_times(json, &row->times);
        write_lexgion(json, NULL, row->name, row->known);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_groups(struct pinsight_json *json, const struct pinsight_report *report) {
    pinsight_json_open(json, report->options.by == PINSIGHT_VIEW_MODULE ? "modules" : "files", '[');
    for (size_t i = 0; i < limited(report, report->group_count); i++) {
        const struct pinsight_group_row *row = &report->groups[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_text(json, "name", row->name);
        pinsight_json_unsigned(json, "calls", row->calls);
        pinsight_json_unsigned(json, "c_calls", row->c_calls);
        pinsight_json_unsigned(json, "total_ns", row->total_ns);
        pinsight_json_unsigned(json, "self_ns", row->self_ns);
        pinsight_json_unsigned(json, "c_self_ns", row->c_self_ns);
        pinsight_json_unsigned(json, "counted_calls", row->counted[PINSIGHT_FUNCTION]);
        pinsight_json_unsigned(json, "counted_c_calls", row->counted[PINSIGHT_C_CALL]);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

/* What OpenMP calls a thread, and what it did there; null where it was in no OpenMP. */
static void write_openmp_thread(struct pinsight_json *json,
                                const struct pinsight_omp_thread *thread) {
    if (!thread) {
        pinsight_json_null(json, "openmp");
        return;
    }
    pinsight_json_open(json, "openmp", '{');
    pinsight_json_unsigned(json, "global_thread_num", thread->number);
    pinsight_json_text(json, "type", pinsight_omp_thread_word(thread->type));
    if (thread->in_team) {
        pinsight_json_unsigned(json, "omp_thread_num_min", thread->lowest);
        pinsight_json_unsigned(json, "omp_thread_num_max", thread->highest);
    }
    pinsight_json_unsigned(json, "regions", thread->parts);
    pinsight_json_unsigned(json, "regions_started", thread->regions);
    pinsight_json_unsigned(json, "work_ns", thread->work_ns);
    pinsight_json_unsigned(json, "imbalance_ns", thread->imbalance_ns);
    pinsight_json_unsigned(json, "waiting_ns", thread->waiting_ns);
    pinsight_json_close(json, '}');
}

static void write_threads(struct pinsight_json *json, const struct pinsight_report *report) {
    pinsight_json_open(json, "threads", '[');
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct pinsight_thread_row *row = &report->threads[i];
        const struct pinsight_thread *thread = row->thread;

        pinsight_json_open(json, NULL, '{');
        pinsight_json_signed(json, "pid", thread->process->pid);
        pinsight_json_signed(json, "python_thread_id", thread->number);
        if (thread->tid)
            pinsight_json_unsigned(json, "tid", thread->tid);
        else
            pinsight_json_null(json, "tid");
        pinsight_json_unsigned(json, "os_threads", thread->os_threads ? thread->os_threads : 1);
        pinsight_json_text(json, "name", row->name);
        write_openmp_thread(json, thread->openmp);
        pinsight_json_unsigned(json, "calls", row->calls);
        pinsight_json_unsigned(json, "c_calls", row->c_calls);
        pinsight_json_unsigned(json, "busy_ns", row->busy_ns);
        pinsight_json_unsigned(json, "self_ns", row->self_ns);
        pinsight_json_unsigned(json, "c_self_ns", row->c_self_ns);
        pinsight_json_unsigned(json, "counted_calls", row->counted[PINSIGHT_FUNCTION]);
        pinsight_json_unsigned(json, "counted_c_calls", row->counted[PINSIGHT_C_CALL]);
        pinsight_json_unsigned(json, "max_depth", thread->max_depth);
        pinsight_json_unsigned(json, "begin_ns", thread->first_ns);
        pinsight_json_unsigned(json, "end_ns", thread->last_ns);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_domains(struct pinsight_json *json, const struct pinsight_report *report,
                          const struct pinsight_process *process) {
    pinsight_json_open(json, "domains", '[');
    for (size_t i = 0; i < process->domain_count; i++) {
        const struct pinsight_domain *domain = &process->domains[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", pinsight_report_string(report, domain->name));
        pinsight_json_text(json, "runtime", pinsight_report_string(report, domain->runtime));
        pinsight_json_text(json, "mechanism", pinsight_report_string(report, domain->mechanism));
        pinsight_json_string(json, "events", pinsight_report_string(report, domain->events));
        pinsight_json_text(json, "selection", pinsight_report_string(report, domain->selection));
        pinsight_json_text(json, "mode",
                           domain->mode < 4 ? pinsight_mode_word(domain->mode) : NULL);
        pinsight_json_unsigned(json, "size_limit", domain->size_limit);
        pinsight_json_bool(json, "size_limit_reached", domain->size_limit_reached);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_processes(struct pinsight_json *json, const struct pinsight_report *report) {
    pinsight_json_open(json, "processes", '[');
    for (size_t i = 0; i < report->model->process_count; i++) {
        const struct pinsight_process *process = report->model->processes[i];

        if (!process->selected || !pinsight_process_is_there(process))
            continue;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_signed(json, "pid", process->pid);
        if (process->has_info) {
            pinsight_json_signed(json, "ppid", process->ppid);
            pinsight_json_signed(json, "rank", process->rank);
        } else {
            pinsight_json_null(json, "ppid");
            pinsight_json_null(json, "rank");
        }
        pinsight_json_text(json, "hostname", pinsight_report_string(report, process->hostname));
        pinsight_json_text(json, "program", pinsight_report_string(report, process->program));
        pinsight_json_text(json, "command", pinsight_report_string(report, process->command));
        pinsight_json_unsigned(json, "events", process->events);
        pinsight_json_unsigned(json, "begin_ns", process->first_ns);
        pinsight_json_unsigned(json, "end_ns", process->last_ns);
        write_domains(json, report, process);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_not_recorded(struct pinsight_json *json, const struct pinsight_report *report) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;

    pinsight_json_open(json, "not_recorded", '{');
    pinsight_json_unsigned(json, "discarded_events", missing->discarded_events);
    pinsight_json_unsigned(json, "discarded_packets", missing->discarded_packets);
    pinsight_json_bool(json, "discarded_unknown", missing->unclear_discards);
    pinsight_json_unsigned(json, "lost_frames", missing->lost_frames);
    pinsight_json_unsigned(json, "dropped_ends", missing->dropped_ends);
    pinsight_json_unsigned(json, "open_at_end", missing->open_at_end);
    pinsight_json_unsigned(json, "began_before", missing->began_before);
    pinsight_json_unsigned(json, "outside_windows", missing->outside_windows);
    pinsight_json_unsigned(json, "paused_ns", missing->paused_ns);
    pinsight_json_unsigned(json, "windows_ended", report->model->history.window_count);
    pinsight_json_unsigned(json, "silent_processes", missing->silent_processes);
    pinsight_json_unsigned(json, "size_limit_processes", missing->size_limit_processes);
    pinsight_json_unsigned(json, "damaged_streams", missing->damaged_streams);
    pinsight_json_unsigned(json, "unnamed_functions", missing->unnamed_functions);
    pinsight_json_bool(json, "builtins_only", missing->builtins_only);
    pinsight_json_bool(json, "interrupted", missing->stopped);
    pinsight_json_bool(json, "daemon_died", missing->daemon_died);
    pinsight_json_bool(json, "incomplete", missing->incomplete || missing->unended);
    pinsight_json_string(json, "unseen", pinsight_report_unseen(report));
    pinsight_json_open(json, "warnings", '[');
    for (size_t i = 0; i < report->source.warning_count; i++)
        pinsight_json_string(json, NULL, report->source.warnings[i]);
    pinsight_json_close(json, ']');
    pinsight_json_close(json, '}');
}

int pinsight_report_json(const struct pinsight_report *report, FILE *out) {
    struct pinsight_json json = {.out = out, .inline_depth = 3};

    pinsight_json_open(&json, NULL, '{');
    write_head(&json, report);
    write_functions(&json, report);
    write_c_calls(&json, report);
    if (report->options.by == PINSIGHT_VIEW_MODULE || report->options.by == PINSIGHT_VIEW_FILE)
        write_groups(&json, report);
    if (report->options.tree)
        pinsight_tree_json(report, &json);
    if (report->options.imports)
        pinsight_imports_json(report, &json);
    if (report->options.openmp || pinsight_omp_seen(report))
        pinsight_omp_json(report, &json,
                          report->options.limit > 0 ? (size_t)report->options.limit : 0);
    if (report->options.mpi || report->options.matrix || pinsight_mpi_seen(report))
        pinsight_mpi_json(report, &json,
                          report->options.limit > 0 ? (size_t)report->options.limit : 0);
    if (pinsight_cuda_seen(report))
        pinsight_cuda_json(report, &json,
                           report->options.limit > 0 ? (size_t)report->options.limit : 0);
    if (report->options.links)
        pinsight_links_json(report, &json,
                            report->options.limit > 0 ? (size_t)report->options.limit : 0);
    write_threads(&json, report);
    write_processes(&json, report);
    pinsight_control_json(report, &json);
    write_not_recorded(&json, report);
    pinsight_json_close(&json, '}');
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
