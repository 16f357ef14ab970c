/* `pinsight diff`: shows the functions that take more or less time than before. */
#include "views/diff/diff.h"
#include "base/memory.h"
#include "base/message.h"
#include "cli/diff_runs.h"
#include "cli/diff_store.h"
#include "cli/verbs.h"
#include "cli/view_signals.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct diff_wanted {
    struct pinsight_diff_options options;
    const char **traces[2]; /* words of argv; the arrays are owned */
    size_t count[2], capacity[2];
    unsigned side;     /* the side of the traces that follow */
    bool to;           /* --to was given */
    double fail_above; /* in percent; negative for no limit */
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

static const struct cli_option option_table[] = {
    CLI_OPTION(0, "to", NULL, "the traces that follow are of side B", .kind = CLI_TAKE,
               .take = take_to),
    CLI_DIFF_OPTIONS(struct diff_wanted),
    CLI_QUIET_AND_HELP("no progress", offsetof(struct diff_wanted, quiet)),
};

const struct cli_verb cli_diff = {
    .name = "diff",
    .about = "compare two versions of a program, function by function",
    .usage =
        "usage: pinsight diff [OPTIONS] A B\n"
        "       pinsight diff [OPTIONS] A... --to B...\n"
        "       pinsight diff [OPTIONS] STORE:RUNS STORE:RUNS\n"
        "       pinsight diff [OPTIONS] STORE:RUNS --to TRACE...\n"
        "\n"
        "Compares two versions of a program: A before, B after. Each is one trace of `pinsight "
        "run`, or\n"
        "several traces of the same version. With two runs of a side or more, a change is a "
        "difference\n"
        "that exceeds those of one side's runs. Record three runs or more, in turn: A B A B A "
        "B.\n"
        "STORE is a file of `pinsight store`, and RUNS is like 7 or 1-5,9.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight diff before after\n"
            "  pinsight diff before-1 before-2 before-3 --to after-1 after-2 after-3\n"
            "  pinsight diff before-* --to after-* --format json | python3 -m json.tool\n"
            "  pinsight diff before after --format html > diff.html\n"
            "  pinsight diff history.db:110-119 history.db:120-129\n"
            "  pinsight diff history.db:110-119 after\n"
            "\n"
            "Exit status: 0 the traces were compared, 1 one of them is damaged or unreadable, 2 "
            "wrong\n"
            "options, 3 B is slower than --fail-above allows, 130 Ctrl-C. The readable part of a "
            "damaged\n"
            "trace is compared.\n",
    CLI_OPTIONS(option_table),
    .column = 21,
};

/* Returns whether each side has a trace. Without --to there must be two traces, one for each
 * side. */
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

/* Checks that no run is given twice, which would make the noise seem smaller than it is. */
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

/* Reads the command line. Returns true, or false with the exit status after help or a message. */
static bool parse(int argc, char **argv, struct diff_wanted *wanted, int *status) {
    if (!cli_parse(&cli_diff, argc, argv, wanted, add_trace, status))
        return false;
    *status = 2;
    while (optind < argc)
        add_trace(wanted, argv[optind++]);
    if ((int)wanted->options.format == CLI_DIFF_PAGE && isatty(STDOUT_FILENO)) {
        pinsight_error("a page is a file for a browser: --format html > diff.html");
        return false;
    }
    return has_sides(wanted) && are_different(wanted);
}

/* Compares the traces. Returns the exit status. */
static int compare(const struct diff_wanted *wanted) {
    const volatile sig_atomic_t *stop = pinsight_view_signals();
    struct pinsight_diff *diff = pinsight_diff_new(&wanted->options);
    int worst = 0, rc = 0;

    for (unsigned side = 0; side < 2 && rc == 0; side++)
        for (size_t i = 0; i < wanted->count[side] && rc == 0 && worst != 130; i++)
            rc = pinsight_diff_read(diff, side, wanted->traces[side][i], wanted->quiet, stop,
                                    &worst);
    if (rc != 0) {
        worst = 1;
    } else if (worst == 130) {
        pinsight_error("the reading was interrupted: nothing is compared");
    } else {
        pinsight_diff_finish(diff);
        worst =
            pinsight_diff_write(diff, &wanted->options,
                                (const char *const[2]){wanted->traces[0][0], wanted->traces[1][0]},
                                wanted->fail_above, worst);
    }
    pinsight_diff_free(diff);
    return worst;
}

/* Returns whether runs of a store are on a side, and sets *status after their comparison. */
static bool compare_stored(const struct diff_wanted *wanted, int *status) {
    if (!cli_diff_has_stored(wanted->traces[0], wanted->count[0]) &&
        !cli_diff_has_stored(wanted->traces[1], wanted->count[1]))
        return false;
    *status = 2;
    if (cli_diff_fits_store("diff", &wanted->options))
        *status =
            cli_diff_stored((const char *const *const[2]){wanted->traces[0], wanted->traces[1]},
                            wanted->count, &wanted->options, wanted->fail_above);
    return true;
}

int pinsight_cmd_diff(int argc, char **argv) {
    struct diff_wanted wanted = {.options = pinsight_diff_defaults(), .fail_above = -1};
    int rc;

    if (parse(argc, argv, &wanted, &rc) && !compare_stored(&wanted, &rc))
        rc = compare(&wanted);
    free(wanted.traces[0]);
    free(wanted.traces[1]);
    return rc;
}
