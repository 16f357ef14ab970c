/* OpenMP as JSON and CSV. */
#include "views/openmp.h"

#include "reader/paths.h"
#include "views/lexgion.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct pinsight_function *function_at(const struct pinsight_report *report,
                                                   uint32_t path) {
    uint32_t function = path == PINSIGHT_NONE ? PINSIGHT_NONE : report->model->paths[path].function;

    return function == PINSIGHT_NONE ? NULL : &report->model->functions[function];
}

static void write_users_line(struct pinsight_json *json, const struct pinsight_report *report,
                             uint32_t path) {
    const struct pinsight_function *function = function_at(report, path);

    pinsight_json_text(json, "python_function",
                       function ? pinsight_report_string(report, function->name) : NULL);
    pinsight_json_text(json, "python_file",
                       function ? pinsight_report_string(report, function->file) : NULL);
    if (path != PINSIGHT_NONE)
        pinsight_json_signed(json, "python_line", report->model->paths[path].line);
    else
        pinsight_json_null(json, "python_line");
}

static void write_path(struct pinsight_json *json, const struct pinsight_report *report,
                       uint32_t path) {
    size_t count;
    uint32_t *frames = pinsight_path_frames(report->model, path, &count);

    pinsight_json_open(json, "python_path", '[');
    for (size_t i = 0; i < count; i++) {
        const struct pinsight_function *function = function_at(report, frames[i]);

        pinsight_json_open(json, NULL, '{');
        pinsight_json_text(json, "function",
                           function ? pinsight_report_string(report, function->name) : NULL);
        pinsight_json_text(json, "file",
                           function ? pinsight_report_string(report, function->file) : NULL);
        pinsight_json_signed(json, "line", report->model->paths[frames[i]].line);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    free(frames);
}

static void write_caller(struct pinsight_json *json, const struct pinsight_omp_caller *caller) {
    pinsight_json_unsigned(json, "calls", caller->calls);
    pinsight_json_unsigned(json, "total_ns", caller->total_ns);
    pinsight_json_unsigned(json, "work_ns", caller->work_ns);
    pinsight_json_unsigned(json, "imbalance_ns", caller->imbalance_ns);
    pinsight_json_unsigned(json, "waiting_ns", caller->waiting_ns);
    pinsight_json_unsigned(json, "runtime_ns", caller->runtime_ns);
}

static void write_sums(struct pinsight_json *json, const struct pinsight_omp_row *row) {
    const struct pinsight_omp_region *sums = &row->sums;
    uint64_t calls = sums->calls + row->counted.calls;
    uint64_t total = sums->total_ns + row->counted.total_ns;
    char *selector;

    pinsight_json_unsigned(json, "calls", calls);
    pinsight_json_unsigned(json, "total_ns", total);
    pinsight_json_unsigned(json, "mean_ns", calls ? total / calls : 0);
    if (sums->calls) {
        pinsight_json_unsigned(json, "min_ns", sums->min_ns);
        pinsight_json_unsigned(json, "max_ns", sums->max_ns);
    } else {
        pinsight_json_null(json, "min_ns");
        pinsight_json_null(json, "max_ns");
    }
    pinsight_json_unsigned(json, "nested_calls", sums->nested);
    pinsight_json_unsigned(json, "measured_calls", sums->measured);
    pinsight_json_unsigned(json, "threads",
                           sums->threads > row->counted_threads ? sums->threads
                                                                : row->counted_threads);
    pinsight_json_unsigned(json, "work_ns", sums->work_ns);
    if (sums->joined && sums->mean_ns)
        pinsight_json_real(json, "imbalance", pinsight_omp_imbalance(sums));
    else
        pinsight_json_null(json, "imbalance");
    pinsight_json_unsigned(json, "imbalance_ns", sums->imbalance_ns);
    pinsight_json_open(json, "wait_ns", '{');
    for (int i = 0; i < PINSIGHT_WAIT_COUNT; i++)
        pinsight_json_unsigned(json, pinsight_omp_wait_word((enum pinsight_omp_wait)i),
                               sums->wait_ns[i]);
    pinsight_json_close(json, '}');
    pinsight_json_unsigned(json, "fork_ns", sums->fork_ns);
    pinsight_json_unsigned(json, "join_ns", sums->join_ns);
    pinsight_json_unsigned(json, "tasks", sums->tasks);
    pinsight_json_open(json, "thread_work_ns", '[');
    for (uint32_t i = 0; i < sums->thread_work_count; i++)
        pinsight_json_unsigned(json, NULL, sums->thread_work_ns[i]);
    pinsight_json_close(json, ']');
    pinsight_json_open(json, "caller", '{');
    write_caller(json, &sums->caller);
    pinsight_json_close(json, '}');
    pinsight_json_unsigned(json, "counted_calls", row->counted.calls);
    pinsight_json_unsigned(json, "counted_total_ns", row->counted.total_ns);
    selector = pinsight_lexgion_native("OpenMP", row->object, row->offset);
    pinsight_json_text(json, "lexgion", selector);
    free(selector);
}

static void write_regions(const struct pinsight_report *report, struct pinsight_json *json,
                          size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;

    pinsight_json_open(json, "regions", '[');
    for (size_t i = 0; i < view->region_count && (!limit || i < limit); i++) {
        const struct pinsight_omp_row *row = &view->regions[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", row->name);
        pinsight_json_string(json, "kind", pinsight_omp_kind_word(row->sums.kind));
        pinsight_json_text(json, "object", row->object);
        pinsight_json_unsigned(json, "offset", row->offset);
        pinsight_json_text(json, "symbol", row->symbol);
        pinsight_json_text(json, "source_file", row->source);
        if (row->source)
            pinsight_json_signed(json, "source_line", row->source_line);
        else
            pinsight_json_null(json, "source_line");
        write_users_line(json, report, row->users);
        write_path(json, report, row->path);
        write_sums(json, row);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

void pinsight_omp_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;

    write_regions(report, json, limit);
    pinsight_json_open(json, "openmp", '{');
    pinsight_json_unsigned(json, "wall_ns", view->wall_ns);
    pinsight_json_unsigned(json, "recorded_ns", view->recorded_ns);
    pinsight_json_unsigned(json, "elsewhere_ns", view->elsewhere_ns);
    pinsight_json_unsigned(json, "regions_ns", view->regions_ns);
    pinsight_json_open(json, "functions", '[');
    for (size_t i = 0; i < view->function_count && (!limit || i < limit); i++) {
        const struct pinsight_omp_function *row = &view->functions[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_function(json, row->name, row->file, row->line);
        pinsight_json_unsigned(json, "all_ns", row->python_ns + row->c_ns + row->regions.total_ns);
        pinsight_json_unsigned(json, "python_ns", row->python_ns);
        pinsight_json_unsigned(json, "c_ns", row->c_ns);
        pinsight_json_open(json, "regions", '{');
        write_caller(json, &row->regions);
        pinsight_json_close(json, '}');
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_json_close(json, '}');
}

void pinsight_omp_csv(const struct pinsight_report *report, FILE *out, size_t limit,
                      void (*write_text)(FILE *out, const char *text)) {
    const struct pinsight_omp_view *view = report->openmp;

    fputs("name,object,symbol,source_file,source_line,python_function,python_file,python_line,"
          "calls,total_ns,threads,work_ns,imbalance,imbalance_ns,fork_ns,join_ns",
          out);
    for (int i = 0; i < PINSIGHT_WAIT_COUNT; i++)
        fprintf(out, ",wait_%s_ns", pinsight_omp_wait_word((enum pinsight_omp_wait)i));
    fputs(",counted_calls\r\n", out);
    for (size_t i = 0; i < view->region_count && (!limit || i < limit); i++) {
        const struct pinsight_omp_row *row = &view->regions[i];
        const struct pinsight_omp_region *sums = &row->sums;
        const struct pinsight_function *function = function_at(report, row->users);

        write_text(out, row->name);
        putc(',', out);
        write_text(out, row->object);
        putc(',', out);
        write_text(out, row->symbol);
        putc(',', out);
        write_text(out, row->source);
        if (row->source)
            fprintf(out, ",%d,", row->source_line);
        else
            fputs(",,", out);
        write_text(out, function ? pinsight_report_string(report, function->name) : NULL);
        putc(',', out);
        write_text(out, function ? pinsight_report_string(report, function->file) : NULL);
        putc(',', out);
        if (function)
            fprintf(out, "%d", report->model->paths[row->users].line);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",", sums->calls + row->counted.calls,
                sums->total_ns + row->counted.total_ns, sums->threads, sums->work_ns);
        if (sums->joined && sums->mean_ns)
            fprintf(out, "%.4f", pinsight_omp_imbalance(sums));
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, sums->imbalance_ns, sums->fork_ns,
                sums->join_ns);
        for (int w = 0; w < PINSIGHT_WAIT_COUNT; w++)
            fprintf(out, ",%" PRIu64, sums->wait_ns[w]);
        fprintf(out, ",%" PRIu64 "\r\n", row->counted.calls);
    }
}
