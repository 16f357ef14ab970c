/* `pinsight dump`: every event of a trace as a line of text. */
#include "views/dump.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "views/screen.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char help[] =
    "usage: pinsight dump [OPTIONS] TRACE\n"
    "\n"
    "Prints the events of a trace in order of time, one a line, with names in place of numbers: "
    "the\n"
    "time since the first event, process and Python thread, the event, and what it is about.\n"
    "\n"
    "  --thread N         only the Python thread N, or the thread with OS thread id N\n"
    "  --process PID      only this process\n"
    "  --limit N          the first N events, 0 for all (default)\n"
    "  --format FORMAT    text (default), or json: one object a line\n"
    "  -q, --quiet        do not say what was not recorded\n"
    "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  pinsight dump pinsight-heat-4711 | less\n"
    "  pinsight dump pinsight-heat-4711 --thread 0 | grep Solver.step\n"
    "  pinsight dump pinsight-heat-4711 --format json | jq 'select(.event == \"c_call_begin\")'\n"
    "\n"
    "Exit status: 0 the trace was read, 1 it is damaged (what could be read is shown) or cannot "
    "be\n"
    "read, 2 the options are wrong, 130 Ctrl-C (what was read until then is shown).\n";

enum { OPTION_THREAD = 256, OPTION_PROCESS, OPTION_LIMIT, OPTION_FORMAT };

static const struct option long_options[] = {
    {"thread", required_argument, NULL, OPTION_THREAD},
    {"process", required_argument, NULL, OPTION_PROCESS},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char *const format_words[] = {"text", "json", NULL};

/* Takes one option; returns 0, or -1 after a message. */
static int take_option(int option, const char *value, struct pinsight_dump_options *options) {
    int64_t number = 0;
    int choice = 0;
    int rc;

    switch (option) {
    case OPTION_FORMAT:
        rc = pinsight_option_word("--format", value, format_words, &choice);
        options->json = choice == 1;
        return rc;
    case OPTION_THREAD:
        return pinsight_option_number("--thread", value, UINT32_MAX, &options->thread);
    case OPTION_PROCESS:
        return pinsight_option_number("--process", value, INT32_MAX, &options->process);
    default:
        rc = pinsight_option_number("--limit", value, INT64_MAX, &number);
        options->limit = (uint64_t)number;
        return rc;
    }
}

/* Returns true to go on; false with the exit status where all is done: help, or a message. */
static bool parse(int argc, char **argv, struct pinsight_dump_options *options, bool *quiet,
                  int *status) {
    int option;

    *status = 2;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":qh", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            *status = pinsight_print(help);
            return false;
        case 'q':
            *quiet = true;
            break;
        case '?':
        case ':':
            *status = pinsight_option_error("dump", option, argv, long_options);
            return false;
        default:
            if (take_option(option, optarg, options) != 0)
                return false;
        }
    }
    return pinsight_option_trace("dump", argc, argv, &options->trace) == 0;
}

/* Returns the exit status. */
static int say_what_is_missing(const struct pinsight_dump_options *options, bool quiet,
                               uint64_t shown, const struct pinsight_source_result *result) {
    for (size_t i = 0; i < result->warning_count; i++)
        fprintf(stderr, "pinsight: %s\n", result->warnings[i]);
    if (!quiet && result->discarded_events)
        fprintf(stderr,
                "pinsight: %" PRIu64 " events are missing: the buffers were full; record with "
                "--lossless, or with a larger --buffer-size\n",
                result->discarded_events);
    if (result->stopped) {
        if (!quiet)
            fputs("pinsight: the reading was interrupted: this is the trace's beginning\n", stderr);
        return 130;
    }
    if (!shown && (options->thread >= 0 || options->process >= 0)) {
        bool thread = options->thread >= 0;
        fprintf(stderr,
                "pinsight: no event is of %s %" PRId64 "; `pinsight report` lists the threads and "
                "processes of a trace\n",
                thread ? "thread" : "process", thread ? options->thread : options->process);
        return 1;
    }
    return result->warning_count > 0;
}

int pinsight_cmd_dump(int argc, char **argv) {
    struct pinsight_dump_options options = {.thread = -1, .process = -1};
    struct pinsight_source_result result = {0};
    bool quiet = false;
    uint64_t shown = 0;
    int rc;

    if (!parse(argc, argv, &options, &quiet, &rc))
        return rc;
    options.colour = pinsight_screen_colour(stdout);
    options.stop = pinsight_view_signals();
    rc = pinsight_dump(&options, stdout, &shown, &result) == 0 ? 0 : 1;
    if (rc != 0) {
        fflush(stdout);
        fprintf(stderr, "pinsight: %s\n", result.error);
    } else if (fflush(stdout) != 0 || ferror(stdout)) {
        rc = pinsight_option_write_error();
    } else {
        rc = say_what_is_missing(&options, quiet, shown, &result);
    }
    pinsight_source_result_clear(&result);
    return rc;
}
