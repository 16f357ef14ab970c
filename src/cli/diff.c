/* `pinsight diff`: what takes more time than before, and what less. */
#include "views/diff.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "reader/mem.h"
#include "session/run_info.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/screen.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: pinsight diff [OPTIONS] A B\n"
    "       pinsight diff [OPTIONS] A... --to B...\n"
    "\n"
    "Compares two versions of a program: A before, B after. Each is the folder of a trace that\n"
    "`pinsight run` wrote, or several, of runs of the same version. With two runs of a side or "
    "more\n"
    "only what differs by more than the runs of one side do is a change; three or more are "
    "better,\n"
    "recorded in turn: A B A B A B.\n"
    "\n"
    "  --to               the traces that follow are of side B\n"
    "  --all              rows without a change, too\n"
    "  --min-change P     leave out what differs by less than P percent of its own time (default "
    "5)\n"
    "  --min-share P      leave out what differs by less than P percent of the run's (default "
    "0.5)\n"
    "  --sort KEY         by the change of self (default), total or calls, or by name\n"
    "  --limit N          rows of a table, 0 for all (default 15; JSON: all)\n"
    "  --format FORMAT    text (default) or json\n"
    "  -q, --quiet        no progress\n"
    "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  pinsight diff before after\n"
    "  pinsight diff before-1 before-2 before-3 --to after-1 after-2 after-3\n"
    "  pinsight diff before-* --to after-* --format json | python3 -m json.tool\n"
    "\n"
    "Exit status: 0 the traces were compared, whatever the outcome, 1 one of them is damaged "
    "(what\n"
    "could be read is compared) or cannot be read, 2 the options are wrong, 130 Ctrl-C.\n";

static const char *const sort_words[] = {"self", "total", "calls", "name", NULL};
static const char *const format_words[] = {"text", "json", NULL};

enum {
    OPTION_TO = 256,
    OPTION_ALL,
    OPTION_CHANGE,
    OPTION_SHARE,
    OPTION_SORT,
    OPTION_LIMIT,
    OPTION_FORMAT
};

static const struct option long_options[] = {
    {"to", no_argument, NULL, OPTION_TO},
    {"all", no_argument, NULL, OPTION_ALL},
    {"min-change", required_argument, NULL, OPTION_CHANGE},
    {"min-share", required_argument, NULL, OPTION_SHARE},
    {"sort", required_argument, NULL, OPTION_SORT},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* What the command line asks for. */
struct wanted {
    struct pinsight_diff_options options;
    const char **traces[2]; /* owned; the words are argv's */
    size_t count[2], capacity[2];
    unsigned side; /* of the traces that follow */
    bool to;       /* --to was there */
    bool quiet;
};

static void add_trace(struct wanted *wanted, const char *trace) {
    unsigned side = wanted->side;

    wanted->traces[side] = pinsight_grow(wanted->traces[side], wanted->count[side],
                                         &wanted->capacity[side], sizeof(*wanted->traces[side]));
    wanted->traces[side][wanted->count[side]++] = trace;
}

/* Takes one option; returns 0, or -1 after a message. */
static int take_option(int option, const char *value, struct wanted *wanted) {
    struct pinsight_diff_options *options = &wanted->options;
    int choice = 0, rc;

    switch (option) {
    case OPTION_TO:
        if (wanted->to) {
            fputs("pinsight: --to stands once, before the first trace of side B\n", stderr);
            return -1;
        }
        wanted->to = true;
        wanted->side = 1;
        return 0;
    case OPTION_ALL:
        options->all = true;
        return 0;
    case OPTION_CHANGE:
        return pinsight_option_percent("--min-change", value, &options->min_change);
    case OPTION_SHARE:
        return pinsight_option_percent("--min-share", value, &options->min_share);
    case OPTION_SORT:
        rc = pinsight_option_word("--sort", value, sort_words, &choice);
        options->sort = (enum pinsight_diff_sort)choice;
        return rc;
    case OPTION_FORMAT:
        rc = pinsight_option_word("--format", value, format_words, &choice);
        options->format = choice ? PINSIGHT_FORMAT_JSON : PINSIGHT_FORMAT_TEXT;
        return rc;
    default:
        return pinsight_option_number("--limit", value, INT32_MAX, &options->limit);
    }
}

/* Whether each side has a trace; without --to there are two. */
static bool has_sides(struct wanted *wanted) {
    if (!wanted->to && wanted->count[0] == 2) {
        wanted->side = 1;
        add_trace(wanted, wanted->traces[0][1]);
        wanted->count[0] = 1;
    }
    if (wanted->count[0] && wanted->count[1])
        return true;
    if (!wanted->to && wanted->count[0] > 2)
        fprintf(stderr,
                "pinsight: which of the %zu traces are of the other side? Put --to before the "
                "first of them\n",
                wanted->count[0]);
    else if (wanted->to)
        fprintf(stderr, "pinsight: there is no trace %s --to\n",
                wanted->count[0] ? "after" : "before");
    else
        fputs("pinsight: which two traces? Give two folders that `pinsight run` wrote, or several "
              "with --to between the sides; `pinsight diff --help` has examples\n",
              stderr);
    return false;
}

/* A run that counts twice would make the noise look smaller than it is. */
static bool are_different(const struct wanted *wanted) {
    size_t a_count = wanted->count[0], all = a_count + wanted->count[1];

    for (size_t i = 0; i < all; i++)
        for (size_t j = i + 1; j < all; j++) {
            const char *one = wanted->traces[i >= a_count][i >= a_count ? i - a_count : i];
            const char *other = wanted->traces[j >= a_count][j >= a_count ? j - a_count : j];
            struct stat a, b;

            if (stat(one, &a) != 0 || stat(other, &b) != 0 || a.st_dev != b.st_dev ||
                a.st_ino != b.st_ino)
                continue;
            fprintf(stderr,
                    "pinsight: \"%s\" and \"%s\" are the same trace; each run counts once\n", one,
                    other);
            return false;
        }
    return true;
}

/* Returns true to go on; false with the exit status where all is done: help, or a message. */
static bool parse(int argc, char **argv, struct wanted *wanted, int *status) {
    int option;

    *status = 2;
    opterr = 0;
    optind = 0;
    /* '-': words that are no options come in their place, as option 1. */
    while ((option = getopt_long(argc, argv, "-:qh", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            *status = pinsight_print(help);
            return false;
        case 'q':
            wanted->quiet = true;
            break;
        case 1:
            add_trace(wanted, optarg);
            break;
        case '?':
        case ':':
            *status = pinsight_option_error("diff", option, argv, long_options);
            return false;
        default:
            if (take_option(option, optarg, wanted) != 0)
                return false;
        }
    }
    while (optind < argc)
        add_trace(wanted, argv[optind++]);
    return has_sides(wanted) && are_different(wanted);
}

/* Reads a trace into the comparison. Returns 0, or -1 after a message; *worst is the exit status so
 * far. */
static int read_one(struct pinsight_diff *diff, const struct wanted *wanted, unsigned side,
                    const char *trace, const volatile sig_atomic_t *stop, int *worst) {
    struct pinsight_run_info run;
    const struct pinsight_report_options options = {
        .trace = trace,
        .limit = -1,
        .thread = -1,
        .process = -1,
        .depth = -1,
        .threshold = -1,
        .spreads = true,
        .stop = stop,
        .run = pinsight_run_info_read(trace, &run) ? &run : NULL,
        .progress = !wanted->quiet && isatty(STDERR_FILENO)};
    struct pinsight_report *report;
    char *error = NULL;

    report = pinsight_report_read(&options, &error);
    if (!report) {
        fprintf(stderr, "pinsight: %s\n", error);
        free(error);
        return -1;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        fprintf(stderr, "pinsight: %s: %s\n", trace, report->source.warnings[i]);
    if (report->source.warning_count && !*worst)
        *worst = 1;
    if (report->source.stopped)
        *worst = 130;
    pinsight_diff_add(diff, side, report);
    if (!report->function_count && !report->c_call_count && !report->openmp->place_count &&
        !report->mpi->line_count && !report->source.stopped) {
        fprintf(stderr,
                "pinsight: %s: there is nothing in it to compare: no function, C call, region or "
                "call of MPI was recorded\n",
                trace);
        pinsight_report_free(report);
        return -1;
    }
    pinsight_report_free(report);
    return 0;
}

/* Returns the exit status. */
static int compare(const struct wanted *wanted) {
    const volatile sig_atomic_t *stop = pinsight_view_signals();
    struct pinsight_diff *diff = pinsight_diff_new(&wanted->options);
    int worst = 0, rc = 0;

    for (unsigned side = 0; side < 2 && rc == 0; side++)
        for (size_t i = 0; i < wanted->count[side] && rc == 0 && worst != 130; i++)
            rc = read_one(diff, wanted, side, wanted->traces[side][i], stop, &worst);
    if (rc != 0) {
        worst = 1;
    } else if (worst == 130) {
        fputs("pinsight: the reading was interrupted: nothing is compared\n", stderr);
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
    struct wanted wanted = {
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
