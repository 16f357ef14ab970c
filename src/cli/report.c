/* `pinsight report`: shows how the time of a traced program is distributed. */
#include "views/report/report.h"
#include "base/ascii.h"
#include "base/message.h"
#include "base/ranks.h"
#include "base/run_info.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "reader/ctf/chunks.h"
#include "views/domain.h"
#include "views/kit/screen.h"
#include "views/report/section.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const by_words[] = {"function", "module", "file", "thread", "rank", NULL};
static const char *const sort_words[] = {"self", "total", "calls", "mean",
                                         "min",  "max",   "name",  NULL};
enum { SECTIONS_MAX = 64 }; /* each has a bit */

static const char *const format_words[] = {"text", "json", "csv", "svg", NULL};

struct report_wanted {
    struct pinsight_report_options options;
    uint64_t sections; /* sections that options name; bit i is that of section i */
    bool quiet;
};

/* Handles an option that selects a section. */
static int take_section(void *options, const struct cli_option *option, const char *value) {
    struct report_wanted *wanted = options;
    const struct pinsight_section *section;

    for (size_t i = 0; (section = pinsight_section_at(i)); i++)
        if (!strcmp(section->option, option->name))
            wanted->sections |= UINT64_C(1) << i;
    return 0;
}

static const struct cli_option *section_option(size_t index) {
    static struct cli_option options[SECTIONS_MAX];
    const struct pinsight_section *section =
        index < SECTIONS_MAX ? pinsight_section_at(index) : NULL;

    if (!section)
        return NULL;
    options[index] = (struct cli_option)CLI_OPTION(0, section->option, NULL, section->about,
                                                   .kind = CLI_TAKE, .take = take_section);
    return &options[index];
}

#define AT(member) offsetof(struct report_wanted, options.member)
static const struct cli_option option_table[] = {
    CLI_OPTION(0, "by", "WHAT", "rows are each a function (default), module, file, thread or rank",
               .kind = CLI_WORD, .at = AT(by), .words = by_words),
    CLI_OPTION(0, "tree", NULL,
               "the call tree in place of the tables; frames of libraries stand in one row",
               .at = AT(tree)),
    CLI_OPTION(0, "unfold", NULL, "the call tree with a row for each frame of libraries",
               .at = AT(unfold)),
    {.list = section_option},
    CLI_OPTION(0, "held-ms", "MS", "with --tasks: least time for which a loop was held (default 1)",
               .kind = CLI_NUMBER, .at = AT(held_ms), .most = INT32_MAX),
    CLI_OPTION(0, "depth", "N",
               "levels of a tree, 0 for all (default 12); of --tree\n"
               "those of your code",
               .kind = CLI_NUMBER, .at = AT(depth), .most = INT32_MAX),
    CLI_OPTION(0, "threshold", "P", "leave out branches below P percent of the whole (default 1)",
               .kind = CLI_PERCENT, .at = AT(threshold)),
    CLI_OPTION(0, "sort", "KEY", "self (default), total, calls, mean, min, max or name",
               .kind = CLI_WORD, .at = AT(sort), .words = sort_words),
    CLI_OPTION(0, "limit", "N",
               "rows of a table, 0 for all (default: one screen; JSON and CSV: all)",
               .kind = CLI_NUMBER, .at = AT(limit), .most = INT32_MAX),
    CLI_SELECT(struct report_wanted, options.thread, options.process),
    CLI_OPTION(0, "rank", "LIST", "only these MPI ranks, such as 0 or 0,2-4", .kind = CLI_RANKS,
               .at = AT(ranks)),
    CLI_OPTION(0, "mine", "LIST",
               "your code: modules or files, such as app,lib/*.py; with + before each, in\n"
               "addition to the default",
               .kind = CLI_TEXT, .at = AT(mine)),
    CLI_OPTION(0, "format", "FORMAT", "text (default), json or csv; with --matrix svg, too",
               .kind = CLI_WORD, .at = AT(format), .words = format_words),
    CLI_QUIET_AND_HELP("no progress", offsetof(struct report_wanted, quiet)),
};

#define TRACE "trace"
static int print_help(const struct cli_verb *verb) {
    const struct pinsight_section *section;
    int rc = cli_print_options(verb);

    if (rc != 0)
        return rc;
    cli_help_text("\n"
                  "Examples:\n"
                  "  pinsight report " TRACE "                 the tables on one screen\n"
                  "  pinsight report " TRACE " --tree          callers and callees\n");
    for (size_t i = 0; (section = pinsight_section_at(i)); i++)
        if (section->example) {
            int width = printf("  pinsight report " TRACE " --%-14s", section->option);

            cli_help_rest(section->example, (size_t)width, (size_t)width);
        }
    cli_help_text("  pinsight report " TRACE " --matrix --format svg > matrix.svg\n"
                  "  pinsight report " TRACE " --by module     NumPy against your own code\n"
                  "  pinsight report " TRACE
                  " --by rank       running and waiting time of each rank\n"
                  "  pinsight report " TRACE " --rank 0,2-4    these ranks alone\n"
                  "  pinsight report " TRACE " --format json | python3 -m json.tool\n"
                  "\n" CLI_STATUS_OF_READING);
    return pinsight_print("");
}

const struct cli_verb cli_report = {
    .name = "report",
    .about = "tables of a trace: functions, modules, threads, C calls, call tree",
    .usage = "usage: pinsight report [OPTIONS] [TRACE]\n"
             "\n"
             "Shows the time of a traced program by function, line and thread. TRACE is the folder "
             "of\n"
             "`pinsight run`; without it, the newest one in this folder.\n"
             "\n",
    .print_help = print_help,
    CLI_OPTIONS(option_table),
    .column = 21,
};

/* Returns whether the options name one view, and sets it. Otherwise reports two options that
 * exclude each other. */
static bool is_one_view(struct report_wanted *wanted) {
    struct pinsight_report_options *options = &wanted->options;
    const struct pinsight_section *section;
    const char *first = NULL, *other = NULL;

    for (size_t i = 0; (section = pinsight_section_at(i)); i++) {
        if (!(wanted->sections & UINT64_C(1) << i))
            continue;
        if (first)
            other = section->option;
        else if (options->tree && !section->with_tree)
            other = "tree";
        if (!first)
            first = section->option;
        options->section = section;
    }
    if (first && options->unfold)
        other = "unfold";
    if (first && options->by != PINSIGHT_VIEW_FUNCTION)
        other = "by";
    if (other)
        pinsight_error("one view at a time: --%s does not go with --%s", first, other);
    return !other;
}

/* Reads the command line. Returns true, or false with the exit status after help or a message. */
static bool parse(int argc, char **argv, struct report_wanted *wanted, int *status) {
    struct pinsight_report_options *options = &wanted->options;

    if (!cli_parse(&cli_report, argc, argv, wanted, NULL, status))
        return false;
    *status = 2;
    options->tree |= options->unfold && !wanted->sections;
    if (options->tree && options->format == PINSIGHT_FORMAT_CSV) {
        pinsight_error("a tree has no form as CSV; use --format json");
        return false;
    }
    if (!is_one_view(wanted))
        return false;
    if (options->format == PINSIGHT_FORMAT_SVG && !(options->section && options->section->svg)) {
        pinsight_error("only --matrix has a form as SVG");
        return false;
    }
    return pinsight_option_trace("report", argc, argv, &options->trace) == 0;
}

static int write_text(const struct pinsight_report *report) {
    FILE *screen = pinsight_ascii_open(stdout);

    pinsight_report_text(report, screen);
    return pinsight_ascii_close(screen, stdout);
}

static int write_report(const struct pinsight_report *report) {
    switch (report->options.format) {
    case PINSIGHT_FORMAT_JSON:
        return pinsight_report_json(report, stdout);
    case PINSIGHT_FORMAT_CSV:
        return pinsight_report_csv(report, stdout);
    case PINSIGHT_FORMAT_SVG:
        return pinsight_report_svg(report, stdout);
    default:
        return write_text(report);
    }
}

static bool has_rank(const struct pinsight_model *model, int64_t first, int64_t last) {
    for (size_t i = 0; i < model->process_count; i++) {
        int64_t rank = view_process_rank(model->processes[i]);

        if (rank >= first && rank <= last)
            return true;
    }
    return false;
}

/* Reports the existing ranks if one that was asked for is missing. */
static bool ranks_are_there(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const char *at = report->options.ranks;
    char list[1024] = " none", *to = list;
    unsigned listed = 0;
    int64_t first = 0, last = 0;

    while (at && *at) {
        at = pinsight_ranks_next(at, &first, &last);
        if (!has_rank(model, first, last))
            break;
        if (!*at)
            return true;
    }
    for (int64_t rank = 0; rank < INT32_MAX && listed < 40; rank++) {
        if (!has_rank(model, rank, INT32_MAX))
            break;
        if (has_rank(model, rank, rank))
            to += sprintf(to, "%s %lld", listed++ ? "," : "", (long long)rank);
    }
    pinsight_error("there is no rank %lld in this trace; it has%s", (long long)first, list);
    return false;
}

/* Reports the existing threads or processes if the one that was asked for is missing. */
static bool is_there(const struct pinsight_report *report) {
    const struct pinsight_report_options *options = &report->options;
    const struct pinsight_model *model = report->model;
    bool process_there = options->process < 0;
    unsigned listed = 0;

    if (report->thread_count || (options->thread < 0 && options->process < 0))
        return true;
    for (size_t i = 0; i < model->process_count; i++)
        process_there |= model->processes[i]->pid == options->process;
    if (process_there && options->thread < 0)
        return true;
    char list[1024] = " none", *to = list;
    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process *process = model->processes[i];

        if (!process_there && listed < 40)
            to += sprintf(to, "%s %lld", listed++ ? "," : "", (long long)process->pid);
        for (size_t t = 0; process_there && process->selected && t < process->thread_count; t++)
            if (process->thread_list[t]->number >= 0 && listed < 20)
                to += sprintf(to, "%s %lld", listed++ ? "," : "",
                              (long long)process->thread_list[t]->number);
    }
    pinsight_error("there is no %s %lld in this trace; it has%s",
                   process_there ? "thread" : "process",
                   (long long)(process_there ? options->thread : options->process), list);
    return false;
}

/* Reads the run's file beside the trace, or beside the trace of which this one is a chunk. */
static bool find_run_info(const char *trace, struct pinsight_run_info *run, bool *chunk) {
    char *whole;
    bool found = pinsight_run_info_read(trace, run);
    bool hidden = !found && errno == EACCES;

    if (found)
        return true;
    whole = pinsight_chunks_whole(trace);
    found = *chunk = whole && pinsight_run_info_read(whole, run);
    hidden = hidden || (whole && !found && errno == EACCES);
    free(whole);
    if (hidden)
        pinsight_warning(PINSIGHT_RUN_INFO_FILE
                         " of %s can be read by its owner alone: the command, and the losses that "
                         "the run counted, are left out; ask its owner for `chmod a+r`",
                         trace);
    return found;
}

int pinsight_cmd_report(int argc, char **argv) {
    struct report_wanted wanted = {
        .options = {.limit = -1, .thread = -1, .process = -1, .depth = -1, .threshold = -1}};
    struct pinsight_report_options *options = &wanted.options;
    const struct pinsight_section *section;
    struct pinsight_run_info run;
    struct pinsight_report *report;
    bool damaged, interrupted;
    char *error = NULL;
    int rc;

    if (!parse(argc, argv, &wanted, &rc))
        return rc;
    options->colour = pinsight_screen_colour(stdout);
    options->width = pinsight_screen_width(stdout);
    options->modules = options->by == PINSIGHT_VIEW_FUNCTION && !options->section &&
                       !options->tree && options->format == PINSIGHT_FORMAT_TEXT;
    options->progress = !wanted.quiet && isatty(STDERR_FILENO);
    options->stop = pinsight_view_signals();
    if (find_run_info(options->trace, &run, &options->chunk))
        options->run = &run;
    report = pinsight_report_read(options, &error);
    if (!report) {
        pinsight_error("%s", error);
        free(error);
        return 1;
    }
    pinsight_view_warn(&report->source, true);
    if (!is_there(report) || (options->ranks && !ranks_are_there(report))) {
        pinsight_report_free(report);
        return 1;
    }
    section = options->section;
    if (section && section->none && options->format != PINSIGHT_FORMAT_TEXT &&
        !section->seen(report))
        pinsight_warning("%s", section->none(report));
    damaged = report->source.warning_count > 0;
    interrupted = report->source.stopped;
    rc = write_report(report) == 0 ? 0 : pinsight_option_write_error();
    pinsight_report_free(report);
    if (interrupted)
        return 130;
    return damaged ? 1 : rc;
}
