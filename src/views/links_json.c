/* Links as JSON and CSV. */
#include "views/links.h"

#include <inttypes.h>

static void write_work(struct pinsight_json *json, const struct pinsight_links_work *work) {
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++) {
        pinsight_json_open(json, pinsight_links_word(d), '{');
        pinsight_json_unsigned(json, "calls", work[d].calls);
        pinsight_json_unsigned(json, "wall_ns", work[d].wall_ns);
        if (d == PINSIGHT_LINKS_OPENMP)
            pinsight_json_unsigned(json, "wall_waiting_ns", work[d].wall_waiting_ns);
        pinsight_json_unsigned(json, "thread_ns", work[d].thread_ns);
        pinsight_json_unsigned(json, "waiting_ns", work[d].waiting_ns);
        if (d != PINSIGHT_LINKS_OPENMP) {
            pinsight_json_unsigned(json, "sent_bytes", work[d].sent_bytes);
            pinsight_json_unsigned(json, "received_bytes", work[d].received_bytes);
        }
        pinsight_json_close(json, '}');
    }
}

static void write_lines(const struct pinsight_links_view *view, struct pinsight_json *json,
                        size_t limit) {
    pinsight_json_open(json, "lines", '[');
    for (size_t i = 0; i < view->line_count && (!limit || i < limit); i++) {
        const struct pinsight_links_line *line = &view->lines[i];
        const struct pinsight_links_function *function = &view->functions[line->function];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_text(json, "function", function->name);
        pinsight_json_text(json, "file", function->file);
        pinsight_json_signed(json, "line", line->line);
        pinsight_json_signed(json, "function_line", function->line);
        pinsight_json_unsigned(json, "c_calls", line->c_calls);
        pinsight_json_unsigned(json, "c_ns", line->c_ns);
        write_work(json, line->work);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_functions(const struct pinsight_links_view *view, struct pinsight_json *json,
                            size_t limit) {
    pinsight_json_open(json, "functions", '[');
    for (size_t i = 0; i < view->function_count && (!limit || i < limit); i++) {
        const struct pinsight_links_function *function = &view->functions[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_function(json, function->name, function->file, function->line);
        pinsight_json_unsigned(json, "all_ns", pinsight_links_function_ns(function));
        pinsight_json_unsigned(json, "python_ns", function->python_ns);
        pinsight_json_unsigned(json, "c_ns", function->c_ns);
        write_work(json, function->work);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_domains(struct pinsight_json *json, const char *key, const uint64_t *ns) {
    pinsight_json_open(json, key, '{');
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++)
        pinsight_json_unsigned(json, pinsight_links_word(d), ns[d]);
    pinsight_json_close(json, '}');
}

static void write_threads(const struct pinsight_links_view *view, struct pinsight_json *json) {
    pinsight_json_open(json, "threads", '[');
    for (size_t i = 0; i < view->thread_count; i++) {
        const struct pinsight_links_thread *row = &view->threads[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_signed(json, "pid", row->thread->process->pid);
        pinsight_json_signed(json, "python_thread_id", row->thread->number);
        if (row->thread->tid)
            pinsight_json_unsigned(json, "tid", row->thread->tid);
        else
            pinsight_json_null(json, "tid");
        pinsight_json_unsigned(json, "wall_ns", row->wall_ns);
        pinsight_json_unsigned(json, "python_ns", row->python_ns);
        pinsight_json_unsigned(json, "c_ns", row->c_ns);
        write_domains(json, "under_python_ns", row->under_ns);
        write_domains(json, "alone_ns", row->alone_ns);
        write_domains(json, "team_ns", row->team_ns);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

void pinsight_links_json(const struct pinsight_report *report, struct pinsight_json *json,
                         size_t limit) {
    const struct pinsight_links_view *view = report->links;

    pinsight_json_open(json, "links", '{');
    pinsight_json_unsigned(json, "wall_ns", view->wall_ns);
    pinsight_json_unsigned(json, "recorded_ns", view->recorded_ns);
    pinsight_json_unsigned(json, "elsewhere_ns", view->elsewhere_ns);
    pinsight_json_unsigned(json, "python_ns", view->python_ns);
    pinsight_json_unsigned(json, "c_ns", view->c_ns);
    pinsight_json_unsigned(json, "python_overhead_ns", view->python_ns + view->c_ns);
    pinsight_json_open(json, "native", '{');
    write_work(json, view->all);
    pinsight_json_close(json, '}');
    pinsight_json_open(json, "no_python", '{');
    write_work(json, view->alone);
    pinsight_json_close(json, '}');
    pinsight_json_open(json, "counted", '{');
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++) {
        pinsight_json_open(json, pinsight_links_word(d), '{');
        pinsight_json_unsigned(json, "calls", view->counted[d].calls);
        pinsight_json_unsigned(json, "total_ns", view->counted[d].total_ns);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, '}');
    write_lines(view, json, limit);
    write_functions(view, json, limit);
    write_threads(view, json);
    pinsight_json_close(json, '}');
}

/* One row of the table; `work` NULL for Python and C. */
static void csv_row(FILE *out, void (*write_text)(FILE *out, const char *text),
                    const struct pinsight_links_function *function, int32_t line,
                    const char *domain, uint64_t wall_ns, const struct pinsight_links_work *work) {
    write_text(out, function ? function->name : NULL);
    putc(',', out);
    write_text(out, function && function->file[0] ? function->file : NULL);
    if (line)
        fprintf(out, ",%" PRId32, line);
    else
        putc(',', out);
    fprintf(out, ",%s,", domain);
    if (work)
        fprintf(out, "%" PRIu64, work->calls);
    fprintf(out, ",%" PRIu64, wall_ns);
    if (work)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", work->thread_ns,
                work->waiting_ns, work->sent_bytes, work->received_bytes);
    else
        fputs(",,,,\r\n", out);
}

void pinsight_links_csv(const struct pinsight_report *report, FILE *out, size_t limit,
                        void (*write_text)(FILE *out, const char *text)) {
    const struct pinsight_links_view *view = report->links;

    fputs("function,file,line,domain,calls,wall_ns,thread_ns,waiting_ns,sent_bytes,received_bytes"
          "\r\n",
          out);
    for (size_t i = 0; i < view->line_count && (!limit || i < limit); i++)
        for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++) {
            const struct pinsight_links_line *line = &view->lines[i];

            if (pinsight_links_any(&line->work[d]))
                csv_row(out, write_text, &view->functions[line->function], line->line,
                        pinsight_links_word(d), line->work[d].wall_ns, &line->work[d]);
        }
    for (size_t i = 0; i < view->function_count && (!limit || i < limit); i++) {
        const struct pinsight_links_function *function = &view->functions[i];

        if (function->python_ns)
            csv_row(out, write_text, function, 0, "python", function->python_ns, NULL);
        if (function->c_ns)
            csv_row(out, write_text, function, 0, "c", function->c_ns, NULL);
        /* Of Python of which no function is known there are no lines. */
        for (unsigned d = 0; !function->name && d < PINSIGHT_LINKS_DOMAINS; d++)
            if (pinsight_links_any(&function->work[d]))
                csv_row(out, write_text, function, 0, pinsight_links_word(d),
                        function->work[d].wall_ns, &function->work[d]);
    }
    for (unsigned d = 0; d < PINSIGHT_LINKS_DOMAINS; d++)
        if (pinsight_links_any(&view->alone[d]))
            csv_row(out, write_text, NULL, 0, pinsight_links_word(d), view->alone[d].wall_ns,
                    &view->alone[d]);
    if (view->elsewhere_ns)
        csv_row(out, write_text, NULL, 0, "not_recorded", view->elsewhere_ns, NULL);
}
