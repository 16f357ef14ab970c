/* Writes the lines above and below the tables. */
#include "views/report/head.h"

#include "views/domain.h"

#include "base/ascii.h"
#include "base/grid.h"
#include "base/memory.h"
#include "base/run_info.h"
#include "base/text.h"
#include "base/units.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/report/attribution.h"
#include "views/report/bar.h"
#include "views/report/cost.h"
#include "views/report/not_recorded.h"
#include "views/report/start_up.h"
#include "views/report/waited.h"

#include <stdlib.h>
#include <string.h>

/* Narrower screens leave out the runtime in the line on OpenMP. */
#define WIDTH_FOR_RUNTIME 92

#define LINE_INDENT 3

void pinsight_head_section(const struct pinsight_report *report, FILE *out, const char *title,
                           const char *remark) {
    putc('\n', out);
    pinsight_title(out, report->options.colour, report->options.width, title, remark);
}

/* Joins the parts of a line, without the last ones for which there is no room. The caller frees the
 * result. */
static char *fitting(const char *text, unsigned width) {
    char *line = NULL;

    for (;;) {
        size_t length = strcspn(text, PINSIGHT_HEAD_PART);
        char *longer = pinsight_format("%s%.*s", line ?: "", (int)length, text);

        if (line && pinsight_text_width(longer) > width) {
            free(longer);
            return line;
        }
        free(line);
        line = longer;
        if (!text[length])
            return line;
        text += length + 1;
    }
}

void pinsight_head_line(const struct pinsight_report *report, FILE *out, const char *format, ...) {
    va_list arguments;
    char *text, *line;

    va_start(arguments, format);
    text = pinsight_ascii_shown(pinsight_format_list(format, arguments));
    va_end(arguments);
    line = fitting(text, report->options.width);
    pinsight_wrap(out, report->options.width, 0, LINE_INDENT, line);
    putc('\n', out);
    PINSIGHT_FREE(text, line);
}

void pinsight_head_note(const struct pinsight_report *report, FILE *out, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    pinsight_paragraph_list(out, false, PINSIGHT_PLAIN, report->options.width, "   ", format,
                            arguments);
    va_end(arguments);
}

void pinsight_head_warn(const struct pinsight_report *report, FILE *out, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    pinsight_paragraph_list(out, report->options.colour, PINSIGHT_WARN, report->options.width,
                            " ! ", format, arguments);
    va_end(arguments);
}

static const char *command_of(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->process_count; i++)
        if (model->processes[i]->selected && model->processes[i]->command &&
            pinsight_process_is_there(model->processes[i]))
            return pinsight_strings_text(&model->strings, model->processes[i]->command);
    if (report->options.run && report->options.run->command[0])
        return report->options.run->command;
    return report->options.trace;
}

static size_t process_count(const struct pinsight_report *report) {
    size_t count = 0;

    for (size_t i = 0; i < report->model->process_count; i++) {
        const struct pinsight_process *process = report->model->processes[i];

        count += process->selected && pinsight_process_is_there(process);
    }
    return count;
}

static const struct pinsight_process_domain *find_domain(const struct pinsight_process *process,
                                                         uint32_t name) {
    for (size_t d = 0; process->selected && d < process->domain_count; d++)
        if (process->domains[d].name == name && process->domains[d].has_info)
            return &process->domains[d];
    return NULL;
}

/* Returns whether no earlier process has the domain. */
static bool is_first(const struct pinsight_model *model, size_t process, size_t domain) {
    for (size_t i = 0; i < process; i++)
        if (find_domain(model->processes[i], model->processes[process]->domains[domain].name))
            return false;
    return true;
}

static bool is_the_same(const struct pinsight_model *model,
                        const struct pinsight_process_domain *domain) {
    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process_domain *other =
            find_domain(model->processes[i], domain->name);

        if (other && other->runtime != domain->runtime)
            return false;
    }
    return true;
}

/* Returns a text such as "CPython 3.12.1, sys.monitoring" for each domain. If its processes differ,
 * the runtimes are not named. The caller frees it. */
static char *runtime_of(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    char *text = NULL;

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++) {
            const struct pinsight_process_domain *domain = &model->processes[i]->domains[d];

            if (!domain->has_info || !model->processes[i]->selected || !is_first(model, i, d))
                continue;
            if (text)
                pinsight_append(&text, " · ");
            if (is_the_same(model, domain))
                pinsight_append(&text, "%s, %s",
                                pinsight_strings_text(&model->strings, domain->runtime),
                                pinsight_strings_text(&model->strings, domain->mechanism));
            else
                pinsight_append(&text, "several runtimes of %s",
                                pinsight_strings_text(&model->strings, domain->name));
        }
    return text;
}

/* Writes a line such as "OpenMP 303 ms in 1,222 regions (calling thread): …". */
static void print_regions(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_omp_caller all = pinsight_omp_all(report);
    const bool has_runtime = report->options.width >= WIDTH_FOR_RUNTIME;

    if (!all.calls)
        return;
    pinsight_head_line(report, out,
                       "OpenMP %s in %s region%s (calling thread): work %s, imbalance %s, "
                       "waiting %s%s%s",
                       pinsight_units_time(all.total_ns).text, pinsight_units_count(all.calls).text,
                       all.calls == 1 ? "" : "s", pinsight_units_time(all.work_ns).text,
                       pinsight_units_time(all.imbalance_ns).text,
                       pinsight_units_time(all.waiting_ns).text, has_runtime ? ", runtime " : "",
                       has_runtime ? pinsight_units_time(all.runtime_ns).text : "");
}

/* Returns a command with the first line of a program that is a word of it, as after `python -c`.
 * The caller frees it. */
static char *first_line(const char *command) {
    char *line = pinsight_format("%s   ", command);
    char *end = line + strcspn(line, "\n");

    line[strlen(command)] = '\0';
    /* The program may begin with an empty line. */
    if (end > line + 1 && end[-1] == '\'' && end[-2] == ' ') {
        memmove(end, end + strspn(end, "\n"), strlen(end + strspn(end, "\n")) + 1);
        end += strcspn(end, "\n");
    }
    if (*end)
        strcpy(end, "…");
    return line;
}

/* Writes the command that ran. */
static void print_command(const struct pinsight_report *report, FILE *out, const char *command) {
    char *line = first_line(command ? command : command_of(report));
    char *name = pinsight_ascii_shown(pinsight_text_clean(line));

    free(line);
    name = pinsight_realloc(name, strlen(name) + 4, 1);
    pinsight_text_cut(name, report->options.width);
    pinsight_styled(out, report->options.colour, PINSIGHT_BOLD, "%s", name);
    putc('\n', out);
    free(name);
}

/* Returns a text such as "25,804 events, 2.52 MiB". The caller frees it. */
static char *events_of(const struct pinsight_report *report) {
    return pinsight_format("%s event%s, %s", pinsight_units_count(report->source.known_events).text,
                           report->source.known_events == 1 ? "" : "s",
                           pinsight_units_size(report->source.bytes).text);
}

/* Returns a text such as "1 process, 2 threads · 25,804 events, 2.52 MiB". The caller frees it. */
static char *sizes_of(const struct pinsight_report *report) {
    size_t processes = process_count(report);
    char *events = events_of(report);
    char *sizes = pinsight_format("%zu %s, %zu %s · %s", processes,
                                  processes == 1 ? "process" : "processes", report->thread_count,
                                  report->thread_count == 1 ? "thread" : "threads", events);

    free(events);
    return sizes;
}

/* Returns a text such as "690 ms recorded", or the time that flight recorders kept. The caller
 * frees it. */
static char *span_of(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_source_result *source = &report->source;
    uint64_t least = UINT64_MAX, most = 0, begin = model->first_ns;

    if (!source->kept_count)
        return pinsight_format(
            "%s recorded",
            pinsight_units_time(pinsight_time_rest(model->last_ns, model->first_ns)).text);
    for (size_t i = 0; i < source->kept_count; i++) {
        const struct pinsight_kept *kept = &source->kept[i];
        uint64_t span = pinsight_kept_ns(kept);

        least = span < least ? span : least;
        most = span > most ? span : most;
        begin = kept->begin_ns < begin ? kept->begin_ns : begin;
    }
    uint64_t all = model->last_ns > begin ? model->last_ns - begin : 0;
    if (source->kept_count == 1)
        return pinsight_format("flight recorder: the last %s of %s", pinsight_units_time(most).text,
                               pinsight_units_time(all).text);
    return pinsight_format("flight recorder: the last %s to %s of each of %zu processes, of %s",
                           pinsight_units_time(least).text, pinsight_units_time(most).text,
                           source->kept_count, pinsight_units_time(all).text);
}

/* Returns a text such as "exit status 1", or "" if the command succeeded or its status is unknown.
 * The caller frees it. */
static char *status_of(const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;

    if (run && run->signal)
        return pinsight_format("ended by signal %d (%s)", run->signal, strsignal(run->signal));
    if (run && run->exit_status)
        return pinsight_format("exit status %d", run->exit_status);
    return pinsight_strdup("");
}

/* Writes how the command ended, before a line of `beside` columns. Without room for both, or with
 * SIZE_MAX, it writes a line of its own. Returns the number of columns that it took in the line. */
static size_t print_status(const struct pinsight_report *report, FILE *out, size_t beside) {
    char *status = status_of(report);
    size_t width = *status ? pinsight_text_width(status) + 3 : 0;
    bool is_alone = beside > report->options.width || width > report->options.width - beside;

    if (*status)
        pinsight_styled(out, report->options.colour, PINSIGHT_WARN, "%s%s", status,
                        is_alone ? "" : " · ");
    if (*status && is_alone)
        putc('\n', out);
    free(status);
    return is_alone ? 0 : width;
}

/* Returns the number of active processes and threads, such as "1 process, 2 threads". The caller
 * frees it. */
static char *workers_of(const struct pinsight_report *report) {
    size_t processes = process_count(report);
    size_t threads = report->thread_count - report->attribution->idle.threads;

    return pinsight_format("%zu %s, %zu %s", processes, processes == 1 ? "process" : "processes",
                           threads, threads == 1 ? "thread" : "threads");
}

/* Appends a part to a line if there is room, and frees the part. */
static void add_part(char **line, char *part, size_t width) {
    char *clean = part ? pinsight_text_clean(part) : NULL;

    if (clean && *clean && pinsight_text_width(*line) + pinsight_text_width(clean) + 3 <= width)
        pinsight_append(line, "%s%s", **line ? " · " : "", clean);
    PINSIGHT_FREE(part, clean);
}

/* Returns whether the report covers a whole run that ended. */
static bool is_whole(const struct pinsight_report *report) {
    const struct pinsight_report_options *options = &report->options;

    return options->run && options->run->wall_ns && !options->chunk && !report->source.kept_count &&
           options->thread < 0 && options->process < 0 && !options->ranks;
}

/* Returns the duration, and the active processes and threads, such as "690 ms · CPU 650 ms · 1
 * process, 2 threads". The caller frees it. */
static char *took_of(const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;
    char *line = is_whole(report) ? pinsight_strdup(pinsight_units_time(run->wall_ns).text)
                                  : span_of(report);
    char *workers = workers_of(report);

    if (run && run->processor_ns)
        pinsight_append(&line, " · CPU %s", pinsight_units_time(run->processor_ns).text);
    pinsight_append(&line, " · %s", workers);
    free(workers);
    return line;
}

/* Writes a line that began before, in several lines if it is too long. */
static void print_wrapped(const struct pinsight_report *report, FILE *out, size_t column,
                          const char *line) {
    char *shown = pinsight_ascii_shown(pinsight_strdup(line));

    pinsight_wrap(out, report->options.width, column, LINE_INDENT, shown);
    putc('\n', out);
    free(shown);
}

/* Writes a line such as "budget 10%: 5.4 % used; 41 functions in part (≥)". */
static void print_budget(const struct pinsight_report *report, FILE *out) {
    char *text = pinsight_cost_budget_text(report);

    if (text[0])
        pinsight_head_line(report, out, "%s", text);
    free(text);
}

/* The first part of the line is never missing. The others are in the report, too. */
void pinsight_head_brief(const struct pinsight_report *report, FILE *out, const char *command) {
    char *line = took_of(report);
    size_t before, width = report->options.width;

    print_command(report, out, command);
    before = print_status(report, out, pinsight_text_width(line));
    add_part(&line, pinsight_cost_text(report), width - before);
    add_part(&line, events_of(report), width - before);
    add_part(&line, runtime_of(report), width - before);
    print_wrapped(report, out, before, line);
    print_budget(report, out);
    pinsight_bar_print(report, out);
    free(line);
}

/* Writes the duration, the processor time and PInsight's own cost for a whole run. */
static void print_took(const struct pinsight_report *report, FILE *out) {
    char *line = took_of(report);
    size_t before = print_status(report, out, pinsight_text_width(line));

    add_part(&line, pinsight_cost_text(report), report->options.width - before);
    print_wrapped(report, out, before, line);
    print_budget(report, out);
    free(line);
}

void pinsight_head_print(const struct pinsight_report *report, FILE *out, const char *command) {
    bool whole = is_whole(report);
    char *runtime = runtime_of(report), *span = span_of(report);
    char *sizes = whole ? events_of(report) : sizes_of(report);
    char *line, *clean;

    print_command(report, out, command);
    if (whole)
        print_took(report, out);
    else
        print_status(report, out, SIZE_MAX);
    line =
        pinsight_format("%s · %s%s%s", span, sizes, runtime ? " · " : "", runtime ? runtime : "");
    clean = pinsight_text_clean(line);
    pinsight_paragraph(out, false, PINSIGHT_PLAIN, report->options.width, "", "%s", clean);
    pinsight_bar_print(report, out);
    pinsight_waited_print(report, out);
    pinsight_start_up_print(report, out);
    print_regions(report, out);
    for (size_t d = 0; d < READER_DOMAINS; d++)
        if (view_domains[d]->head)
            view_domains[d]->head(report, out);
    PINSIGHT_FREE(span, runtime, sizes, line, clean);
}

struct foot {
    const struct pinsight_report *report;
    FILE *out;
    size_t notes; /* number of sentences that only the report has */
};

static void print_notice(void *data, int level, const char *sentence) {
    struct foot *foot = data;
    const struct pinsight_report_options *options = &foot->report->options;

    pinsight_paragraph(
        foot->out, options->colour, level == PINSIGHT_NOTICE_WRONG ? PINSIGHT_WARN : PINSIGHT_PLAIN,
        options->width, level == PINSIGHT_NOTICE_WRONG ? " ! " : "   ", "%s", sentence);
}

static void print_serious(void *data, int level, const char *sentence) {
    struct foot *foot = data;

    if (level != PINSIGHT_NOTICE_DETAIL)
        print_notice(foot, level, sentence);
}

static void count_notes(void *data, int level, const char *sentence) {
    struct foot *foot = data;

    (void)sentence;
    foot->notes += level == PINSIGHT_NOTICE_DETAIL;
}

void pinsight_foot_brief(const struct pinsight_report *report, FILE *out) {
    struct foot foot = {report, out, 0};
    bool lost = pinsight_not_recorded_report(report, count_notes, &foot) > 0;
    char *notes = foot.notes ? pinsight_format("%s%zu note%s in the report", lost ? "" : " · ",
                                               foot.notes, foot.notes == 1 ? "" : "s")
                             : pinsight_strdup("");
    char *remark = pinsight_format(
        "%s%s", lost ? "" : "Nothing was lost: 0 events discarded, 0 calls lost, 0 ends dropped",
        notes);

    if (pinsight_text_width(remark) + sizeof("Not recorded") + 1 > report->options.width && !lost) {
        free(remark);
        remark = pinsight_format("Nothing was lost%s", notes);
    }
    pinsight_head_section(report, out, "Not recorded", remark);
    pinsight_not_recorded_report(report, print_serious, &foot);
    PINSIGHT_FREE(notes, remark);
}

static void ignore_notice(void *data, int level, const char *sentence) {
    (void)data;
    (void)level;
    (void)sentence;
}

void pinsight_foot_print(const struct pinsight_report *report, FILE *out) {
    struct foot foot = {report, out, 0};
    bool lost = pinsight_not_recorded_report(report, ignore_notice, NULL) > 0;

    pinsight_head_section(report, out, "Not recorded", NULL);
    if (!lost)
        pinsight_head_note(report, out,
                           "Nothing was lost: 0 events discarded, 0 calls lost, 0 ends dropped.");
    pinsight_not_recorded_report(report, print_notice, &foot);
    if (report->python_ns || report->c_ns || !view_domains_seen(report))
        pinsight_paragraph(out, report->options.colour, PINSIGHT_DIM, report->options.width, "   ",
                           "%s", pinsight_report_unseen(report));
}
