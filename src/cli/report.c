/* `pinsight report`: where the time of a traced program went. */
#include "views/report.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "reader/chunks.h"
#include "session/run_info.h"
#include "views/imports.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/screen.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: pinsight report [OPTIONS] TRACE\n"
    "\n"
    "Shows where the time of a traced program went. TRACE is the folder that `pinsight run` "
    "wrote.\n"
    "\n"
    "  --by WHAT          rows are each a function (default), module, file or thread\n"
    "  --tree             the call tree in place of the tables\n"
    "  --imports          the tree of imports, with the time of each, in place of the tables\n"
    "  --links            native work (OpenMP, MPI) by the Python lines that caused it, Python "
    "that "
    "caused\n"
    "                     none, and native work without Python, in place of the tables\n"
    "  --openmp           OpenMP regions, and the Python lines that caused them, in place of the "
    "tables;\n"
    "                     with --tree the whole call path of each\n"
    "  --mpi              MPI: who waited for whom, time by function, line and rank, in place of "
    "the tables\n"
    "  --matrix           the communication matrix of MPI alone\n"
    "  --depth N          levels of a tree, 0 for all (default 12)\n"
    "  --threshold P      leave out branches below P percent of the whole (default 1)\n"
    "  --sort KEY         self (default), total, calls, mean, min, max or name\n"
    "  --limit N          rows of a table, 0 for all (default: one screen; JSON and CSV: all)\n"
    "  --thread N         only the Python thread N, or the thread with OS thread id N\n"
    "  --process PID      only this process\n"
    "  --format FORMAT    text (default), json or csv; with --matrix svg, too\n"
    "  -q, --quiet        no progress\n"
    "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  pinsight report pinsight-heat-4711                 the tables on one screen\n"
    "  pinsight report pinsight-heat-4711 --tree          who called what\n"
    "  pinsight report pinsight-heat-4711 --imports       what start-up waits for\n"
    "  pinsight report pinsight-heat-4711 --links         your lines, and what they caused\n"
    "  pinsight report pinsight-heat-4711 --openmp        regions, and who started them\n"
    "  pinsight report pinsight-heat-4711 --mpi           who waited for whom\n"
    "  pinsight report pinsight-heat-4711 --matrix --format svg > matrix.svg\n"
    "  pinsight report pinsight-heat-4711 --by module     NumPy against your own code\n"
    "  pinsight report pinsight-heat-4711 --format json | python3 -m json.tool\n"
    "\n"
    "Exit status: 0 the trace was read, 1 it is damaged (what could be read is shown) or cannot "
    "be\n"
    "read, 2 the options are wrong, 130 Ctrl-C (what was read until then is shown).\n";

static const char *const by_words[] = {"function", "module", "file", "thread", NULL};
static const char *const sort_words[] = {"self", "total", "calls", "mean",
                                         "min",  "max",   "name",  NULL};
static const char *const format_words[] = {"text", "json", "csv", "svg", NULL};

enum {
    OPTION_BY = 256,
    OPTION_TREE,
    OPTION_IMPORTS,
    OPTION_LINKS,
    OPTION_OPENMP,
    OPTION_MPI,
    OPTION_MATRIX,
    OPTION_DEPTH,
    OPTION_THRESHOLD,
    OPTION_SORT,
    OPTION_LIMIT,
    OPTION_THREAD,
    OPTION_PROCESS,
    OPTION_FORMAT,
};

static const struct option long_options[] = {
    {"by", required_argument, NULL, OPTION_BY},
    {"tree", no_argument, NULL, OPTION_TREE},
    {"imports", no_argument, NULL, OPTION_IMPORTS},
    {"links", no_argument, NULL, OPTION_LINKS},
    {"openmp", no_argument, NULL, OPTION_OPENMP},
    {"mpi", no_argument, NULL, OPTION_MPI},
    {"matrix", no_argument, NULL, OPTION_MATRIX},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"threshold", required_argument, NULL, OPTION_THRESHOLD},
    {"sort", required_argument, NULL, OPTION_SORT},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"thread", required_argument, NULL, OPTION_THREAD},
    {"process", required_argument, NULL, OPTION_PROCESS},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Takes one option; returns 0, or -1 after a message. */
static int take_option(int option, const char *value, struct pinsight_report_options *options) {
    int choice = 0;
    int rc;

    switch (option) {
    case OPTION_BY:
        rc = pinsight_option_word("--by", value, by_words, &choice);
        options->by = (enum pinsight_view)choice;
        return rc;
    case OPTION_SORT:
        rc = pinsight_option_word("--sort", value, sort_words, &choice);
        options->sort = (enum pinsight_sort)choice;
        return rc;
    case OPTION_FORMAT:
        rc = pinsight_option_word("--format", value, format_words, &choice);
        options->format = (enum pinsight_format)choice;
        return rc;
    case OPTION_TREE:
        options->tree = true;
        return 0;
    case OPTION_IMPORTS:
        options->imports = true;
        return 0;
    case OPTION_LINKS:
        options->links = true;
        return 0;
    case OPTION_OPENMP:
        options->openmp = true;
        return 0;
    case OPTION_MPI:
        options->mpi = true;
        return 0;
    case OPTION_MATRIX:
        options->matrix = true;
        return 0;
    case OPTION_DEPTH:
        return pinsight_option_number("--depth", value, INT32_MAX, &options->depth);
    case OPTION_LIMIT:
        return pinsight_option_number("--limit", value, INT32_MAX, &options->limit);
    case OPTION_THREAD:
        return pinsight_option_number("--thread", value, UINT32_MAX, &options->thread);
    case OPTION_PROCESS:
        return pinsight_option_number("--process", value, INT32_MAX, &options->process);
    default:
        return pinsight_option_percent("--threshold", value, &options->threshold);
    }
}

/* Whether the options name one view; says which two do not go together where they do not. */
static bool is_one_view(const struct pinsight_report_options *options) {
    const struct {
        bool wanted;
        bool with_tree; /* it has a form for --tree */
        const char *name;
    } views[] = {{options->imports, false, "--imports"},
                 {options->links, false, "--links"},
                 {options->openmp, true, "--openmp"},
                 {options->mpi, false, "--mpi"},
                 {options->matrix, false, "--matrix"},
                 {options->by != PINSIGHT_VIEW_FUNCTION, true, "--by"}};
    const char *first = NULL, *other = NULL;

    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        if (!views[i].wanted)
            continue;
        if (first)
            other = views[i].name;
        else if (options->tree && !views[i].with_tree)
            other = "--tree";
        if (!first)
            first = views[i].name;
    }
    if (other)
        fprintf(stderr, "pinsight: one view at a time: %s does not go with %s\n", first, other);
    return !other;
}

/* Returns true to go on; false with the exit status where all is done: help, or a message. */
static bool parse(int argc, char **argv, struct pinsight_report_options *options, bool *quiet,
                  int *status) {
    int option, index = -1;

    *status = 2;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":qh", long_options, &index)) != -1) {
        switch (option) {
        case 'h':
            *status = pinsight_print(help);
            return false;
        case 'q':
            *quiet = true;
            break;
        case '?':
        case ':':
            *status = pinsight_option_error("report", option, argv, long_options);
            return false;
        default:
            if (take_option(option, optarg, options) != 0)
                return false;
        }
    }
    if (options->tree && options->format == PINSIGHT_FORMAT_CSV) {
        fputs("pinsight: a tree has no form as CSV; use --format json\n", stderr);
        return false;
    }
    if (!is_one_view(options))
        return false;
    if (options->format == PINSIGHT_FORMAT_SVG && !options->matrix) {
        fputs("pinsight: only --matrix has a form as SVG\n", stderr);
        return false;
    }
    return pinsight_option_trace("report", argc, argv, &options->trace) == 0;
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
        return pinsight_report_text(report, stdout);
    }
}

/* Says which threads or processes there are where the one that was asked for is not. */
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
    fprintf(stderr, "pinsight: there is no %s %lld in this trace; it has",
            process_there ? "thread" : "process",
            (long long)(process_there ? options->thread : options->process));
    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process *process = model->processes[i];

        if (!process_there)
            fprintf(stderr, "%s %lld", listed++ ? "," : "", (long long)process->pid);
        for (size_t t = 0; process_there && process->selected && t < process->thread_count; t++)
            if (process->thread_list[t]->number >= 0 && listed < 20)
                fprintf(stderr, "%s %lld", listed++ ? "," : "",
                        (long long)process->thread_list[t]->number);
    }
    fputs(listed ? "\n" : " none\n", stderr);
    return false;
}

/* What `pinsight run` left beside the trace, or beside the trace that it is a chunk of. */
static bool find_run_info(const char *trace, struct pinsight_run_info *run, bool *chunk) {
    char *whole;
    bool found = pinsight_run_info_read(trace, run);

    if (found)
        return true;
    whole = pinsight_chunks_whole(trace);
    found = *chunk = whole && pinsight_run_info_read(whole, run);
    free(whole);
    return found;
}

int pinsight_cmd_report(int argc, char **argv) {
    struct pinsight_report_options options = {
        .limit = -1, .thread = -1, .process = -1, .depth = -1, .threshold = -1};
    struct pinsight_run_info run;
    struct pinsight_report *report;
    bool quiet = false, damaged, interrupted;
    char *error = NULL;
    int rc;

    if (!parse(argc, argv, &options, &quiet, &rc))
        return rc;
    options.colour = pinsight_screen_colour(stdout);
    options.width = pinsight_screen_width(stdout);
    options.progress = !quiet && isatty(STDERR_FILENO);
    options.stop = pinsight_view_signals();
    if (find_run_info(options.trace, &run, &options.chunk))
        options.run = &run;
    report = pinsight_report_read(&options, &error);
    if (!report) {
        fprintf(stderr, "pinsight: %s\n", error);
        free(error);
        return 1;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        fprintf(stderr, "pinsight: %s\n", report->source.warnings[i]);
    if (!is_there(report)) {
        pinsight_report_free(report);
        return 1;
    }
    if (options.imports && options.format != PINSIGHT_FORMAT_TEXT && !report->model->import_count)
        fprintf(stderr, "pinsight: %s\n", pinsight_imports_none(report));
    if (options.openmp && options.format != PINSIGHT_FORMAT_TEXT && !pinsight_omp_seen(report))
        fprintf(stderr, "pinsight: %s\n", pinsight_omp_none(report));
    if ((options.mpi || options.matrix) && options.format != PINSIGHT_FORMAT_TEXT &&
        !pinsight_mpi_seen(report))
        fprintf(stderr, "pinsight: %s\n", pinsight_mpi_none(report));
    damaged = report->source.warning_count > 0;
    interrupted = report->source.stopped;
    rc = write_report(report) == 0 ? 0 : pinsight_option_write_error();
    pinsight_report_free(report);
    if (interrupted)
        return 130;
    return damaged ? 1 : rc;
}
