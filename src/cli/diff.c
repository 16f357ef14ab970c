/* `pinsight diff`: what takes more time than before, and what less. */
#include "views/diff/diff.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/run_info.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "views/kit/screen.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the command line asks for. */
struct diff_wanted {
    struct pinsight_diff_options options;
    const char **traces[2]; /* owned; the words are argv's */
    size_t count[2], capacity[2];
    unsigned side; /* of the traces that follow */
    bool to;       /* --to was there */
    bool quiet;
};

static void add_trace(void *options, const char *trace) {
    struct diff_wanted *wanted = options;
    unsigned side = wanted->side;

    *PINSIGHT_ADD(wanted->traces[side], wanted->count[side], wanted->capacity[side]) = trace;
}

static int take_to(void *options, const struct cli_option *option, const char *value) {
    struct diff_wanted *wanted = options;

    if (wanted->to) {
        pinsight_error("--to stands once, before the first trace of side B");
        return -1;
    }
    wanted->to = true;
    wanted->side = 1;
    return 0;
}

static const char *const sort_words[] = {"self", "total", "calls", "name", NULL};
static const char *const format_words[] = {"text", "json", NULL};

#define AT(member) offsetof(struct diff_wanted, options.member)
static const struct cli_option option_table[] = {
    CLI_OPTION(0, "to", NULL, "the traces that follow are of side B", .kind = CLI_TAKE,
               .take = take_to),
    CLI_OPTION(0, "all", NULL, "rows without a change, too", .at = AT(all)),
    CLI_OPTION(0, "min-change", "P",
               "leave out what differs by less than P percent of its own time (default 5)",
               .kind = CLI_PERCENT, .at = AT(min_change)),
    CLI_OPTION(0, "min-share", "P",
               "leave out what differs by less than P percent of the run's (default 0.5)",
               .kind = CLI_PERCENT, .at = AT(min_share)),
    CLI_OPTION(0, "sort", "KEY", "by the change of self (default), total or calls, or by name",
               .kind = CLI_WORD, .at = AT(sort), .words = sort_words),
    CLI_OPTION(0, "limit", "N", "rows of a table, 0 for all (default 15; JSON: all)",
               .kind = CLI_NUMBER, .at = AT(limit), .most = INT32_MAX),
    CLI_OPTION(0, "format", "FORMAT", "text (default) or json", .kind = CLI_WORD, .at = AT(format),
               .words = format_words),
    CLI_OPTION('q', "quiet", NULL, "no progress", .at = offsetof(struct diff_wanted, quiet)),
    CLI_HELP,
};

const struct cli_verb cli_diff = {
    .name = "diff",
    .about = "two versions of a program side by side: what takes more time, what less",
    .usage = "usage: pinsight diff [OPTIONS] A B\n"
             "       pinsight diff [OPTIONS] A... --to B...\n"
             "\n"
             "Compares two versions of a program: A before, B after. Each is the folder of a trace "
             "that\n"
             "`pinsight run` wrote, or several, of runs of the same version. With two runs of a "
             "side or more\n"
             "only what differs by more than the runs of one side do is a change; three or more "
             "are better,\n"
             "recorded in turn: A B A B A B.\n"
             "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight diff before after\n"
            "  pinsight diff before-1 before-2 before-3 --to after-1 after-2 after-3\n"
            "  pinsight diff before-* --to after-* --format json | python3 -m json.tool\n"
            "\n"
            "Exit status: 0 the traces were compared, whatever the outcome, 1 one of them is "
            "damaged (what\n"
            "could be read is compared) or cannot be read, 2 the options are wrong, 130 Ctrl-C.\n",
    CLI_OPTIONS(option_table),
    .column = 21,
};

/* Whether each side has a trace; without --to there are two. */
static bool has_sides(struct diff_wanted *wanted) {
    if (!wanted->to && wanted->count[0] == 2) {
        wanted->side = 1;
        add_trace(wanted, wanted->traces[0][1]);
        wanted->count[0] = 1;
    }
    if (wanted->count[0] && wanted->count[1])
        return true;
    if (!wanted->to && wanted->count[0] > 2)
        pinsight_error("which of the %zu traces are of the other side? Put --to before the "
                       "first of them",
                       wanted->count[0]);
    else if (wanted->to)
        pinsight_error("there is no trace %s --to", wanted->count[0] ? "after" : "before");
    else
        pinsight_error("which two traces? Give two folders that `pinsight run` wrote, or several "
                       "with --to between the sides; `pinsight diff --help` has examples");
    return false;
}

/* A run that counts twice would make the noise look smaller than it is. */
static bool are_different(const struct diff_wanted *wanted) {
    size_t a_count = wanted->count[0], all = a_count + wanted->count[1];

    for (size_t i = 0; i < all; i++)
        for (size_t j = i + 1; j < all; j++) {
            const char *one = wanted->traces[i >= a_count][i >= a_count ? i - a_count : i];
            const char *other = wanted->traces[j >= a_count][j >= a_count ? j - a_count : j];
            struct stat a, b;

            if (stat(one, &a) != 0 || stat(other, &b) != 0 || a.st_dev != b.st_dev ||
                a.st_ino != b.st_ino)
                continue;
            pinsight_error("\"%s\" and \"%s\" are the same trace; each run counts once", one,
                           other);
            return false;
        }
    return true;
}

/* Returns true to go on; false with the exit status where all is done: help, or a message. */
static bool parse(int argc, char **argv, struct diff_wanted *wanted, int *status) {
    if (!cli_parse(&cli_diff, argc, argv, wanted, add_trace, status))
        return false;
    *status = 2;
    while (optind < argc)
        add_trace(wanted, argv[optind++]);
    return has_sides(wanted) && are_different(wanted);
}

static void say_of(const char *trace, const char *warning) {
    char *text = pinsight_format("%s: %s", trace, warning);

    pinsight_warning("%s", text);
    free(text);
}

/* Reads a trace into the comparison. Returns 0, or -1 after a message; *worst is the exit status so
 * far. */
static int read_one(struct pinsight_diff *diff, const struct diff_wanted *wanted, unsigned side,
                    const char *trace, const volatile sig_atomic_t *stop, int *worst) {
    struct pinsight_run_info run;
    const struct pinsight_report_options options = {
        .trace = trace,
        .limit = -1,
        .thread = -1,
        .process = -1,
        .depth = -1,
        .threshold = -1,
        .histograms = true,
        .stop = stop,
        .run = pinsight_run_info_read(trace, &run) ? &run : NULL,
        .progress = !wanted->quiet && isatty(STDERR_FILENO)};
    struct pinsight_report *report;
    char *error = NULL;

    report = pinsight_report_read(&options, &error);
    if (!report) {
        pinsight_error("%s", error);
        free(error);
        return -1;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        say_of(trace, report->source.warnings[i]);
    if (report->source.warning_count && !*worst)
        *worst = 1;
    if (report->source.stopped)
        *worst = 130;
    pinsight_diff_add(diff, side, report);
    if (!report->function_count && !report->c_call_count && !report->openmp->place_count &&
        !report->mpi->line_count && !report->source.stopped) {
        pinsight_error("%s: there is nothing in it to compare: no function, C call, region or "
                       "call of MPI was recorded",
                       trace);
        pinsight_report_free(report);
        return -1;
    }
    pinsight_report_free(report);
    return 0;
}

/* Returns the exit status. */
static int compare(const struct diff_wanted *wanted) {
    const volatile sig_atomic_t *stop = pinsight_view_signals();
    struct pinsight_diff *diff = pinsight_diff_new(&wanted->options);
    int worst = 0, rc = 0;

    for (unsigned side = 0; side < 2 && rc == 0; side++)
        for (size_t i = 0; i < wanted->count[side] && rc == 0 && worst != 130; i++)
            rc = read_one(diff, wanted, side, wanted->traces[side][i], stop, &worst);
    if (rc != 0) {
        worst = 1;
    } else if (worst == 130) {
        pinsight_error("the reading was interrupted: nothing is compared");
    } else {
        pinsight_diff_finish(diff);
        rc = wanted->options.format == PINSIGHT_FORMAT_JSON ? pinsight_diff_json(diff, stdout)
                                                            : pinsight_diff_text(diff, stdout);
        if (rc != 0 && pinsight_option_write_error() != 0)
            worst = 1;
    }
    pinsight_diff_free(diff);
    return worst;
}

int pinsight_cmd_diff(int argc, char **argv) {
    struct diff_wanted wanted = {
        .options = {.min_change = 5, .min_share = 0.5, .min_ns = 100000, .limit = -1}};
    int rc;

    wanted.options.colour = pinsight_screen_colour(stdout);
    wanted.options.width = pinsight_screen_width(stdout);
    if (parse(argc, argv, &wanted, &rc))
        rc = compare(&wanted);
    free(wanted.traces[0]);
    free(wanted.traces[1]);
    return rc;
}
