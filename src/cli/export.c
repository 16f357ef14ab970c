/* `pinsight export`: a trace in the form of another tool. */
#include "views/export.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "cli/words.h"
#include "reader/mem.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: pinsight export [OPTIONS] TRACE\n"
    "\n"
    "Writes a trace in the form of another tool. TRACE is the folder that `pinsight run` wrote.\n"
    "\n"
    "  --to FORMAT        one of the forms below (default: the first)\n"
    "  -o, --output PATH  where to (default: the trace's name and the form's suffix, in the "
    "current\n"
    "                     folder); - is standard output\n"
    "  --thread N         only the Python thread N, or the thread with OS thread id N\n"
    "  --process PID      only this process\n"
    "  -q, --quiet        no progress, and nothing said at the end\n"
    "  -h, --help         this text\n"
    "\n";

static const char more_help[] =
    "\n"
    "Examples:\n"
    "  pinsight export pinsight-heat-4711\n"
    "  pinsight export pinsight-heat-4711 --to csv -o heat.csv\n"
    "\n"
    "Exit status: 0 the trace was read and written, 1 it is damaged (what could be read is "
    "written)\n"
    "or cannot be read or written, 2 the options are wrong, 130 Ctrl-C (what was read until then "
    "is\n"
    "written).\n";

enum { OPTION_TO = 256, OPTION_THREAD, OPTION_PROCESS };

static const struct option long_options[] = {
    {"to", required_argument, NULL, OPTION_TO},
    {"output", required_argument, NULL, 'o'},
    {"thread", required_argument, NULL, OPTION_THREAD},
    {"process", required_argument, NULL, OPTION_PROCESS},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct wanted {
    struct pinsight_export_options options;
    const struct pinsight_export_format *format;
    char *output; /* owned; NULL where -o names it */
    bool quiet;
};

static int print_help(void) {
    int rc = pinsight_print(help);

    for (size_t i = 0; rc == 0 && pinsight_export_formats[i]; i++)
        printf("  %-18s %s\n", pinsight_export_formats[i]->name, pinsight_export_formats[i]->about);
    return rc == 0 ? pinsight_print(more_help) : rc;
}

static int take_format(const char *value, const struct pinsight_export_format **format) {
    const char *words[32];
    size_t count = 0;
    int choice;

    while (pinsight_export_formats[count]) {
        words[count] = pinsight_export_formats[count]->name;
        count++;
    }
    words[count] = NULL;
    if (pinsight_option_word("--to", value, words, &choice) != 0)
        return -1;
    *format = pinsight_export_formats[choice];
    return 0;
}

static int take_option(int option, const char *value, struct wanted *wanted) {
    switch (option) {
    case OPTION_TO:
        return take_format(value, &wanted->format);
    case OPTION_THREAD:
        return pinsight_option_number("--thread", value, UINT32_MAX, &wanted->options.thread);
    case OPTION_PROCESS:
        return pinsight_option_number("--process", value, INT32_MAX, &wanted->options.process);
    default:
        wanted->options.output = value;
        return 0;
    }
}

/* "trace.csv" of the folder "/tmp/trace/". */
static char *default_output(const char *trace, const char *suffix) {
    size_t end = strlen(trace), start;

    while (end > 1 && trace[end - 1] == '/')
        end--;
    for (start = end; start > 0 && trace[start - 1] != '/'; start--)
        continue;
    if (end - start == 0 || !strncmp(trace + start, ".", end - start) ||
        !strncmp(trace + start, "..", end - start))
        return pinsight_format("trace%s", suffix);
    return pinsight_format("%.*s%s", (int)(end - start), trace + start, suffix);
}

/* Returns true to go on; false with the exit status where all is done: help, or a message. */
static bool parse(int argc, char **argv, struct wanted *wanted, int *status) {
    int option;

    *status = 2;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":qho:", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            *status = print_help();
            return false;
        case 'q':
            wanted->quiet = true;
            break;
        case '?':
        case ':':
            *status = pinsight_option_error("export", option, argv, long_options);
            return false;
        default:
            if (take_option(option, optarg, wanted) != 0)
                return false;
        }
    }
    if (pinsight_option_trace("export", argc, argv, &wanted->options.trace) != 0)
        return false;
    if (!wanted->format)
        wanted->format = pinsight_export_formats[0];
    if (!wanted->options.output)
        wanted->options.output = wanted->output =
            default_output(wanted->options.trace, wanted->format->suffix);
    if (wanted->format->folder && !strcmp(wanted->options.output, "-")) {
        fprintf(stderr,
                "pinsight: %s is a folder and cannot go to standard output; use -o FOLDER\n",
                wanted->format->name);
        return false;
    }
    return true;
}

/* Says what was written and what is missing from it; returns the exit status. */
static int say(const struct wanted *wanted, const struct pinsight_export *export) {
    for (size_t i = 0; i < export->source.warning_count; i++)
        fprintf(stderr, "pinsight: %s\n", export->source.warnings[i]);
    if (!wanted->quiet && export->source.discarded_events)
        fprintf(stderr,
                "pinsight: %" PRIu64 " events are missing: the buffers were full; record with "
                "--lossless, or with a larger --buffer-size\n",
                export->source.discarded_events);
    if (!wanted->quiet && !export->slices)
        fputs("pinsight: there is nothing in it: the trace has no function, region or call\n",
              stderr);
    if (!wanted->quiet && export->note)
        fprintf(stderr, "pinsight: %s\n", export->note);
    if (!wanted->quiet && strcmp(wanted->options.output, "-") != 0)
        fprintf(stderr, "pinsight: %s: %" PRIu64 " slices; %s\n", wanted->options.output,
                export->slices, wanted->format->about);
    if (export->source.stopped) {
        fputs("pinsight: the reading was interrupted: this is the trace's beginning\n", stderr);
        return 130;
    }
    return export->source.warning_count > 0;
}

int pinsight_cmd_export(int argc, char **argv) {
    struct wanted wanted = {.options = {.thread = -1, .process = -1}};
    struct pinsight_export export;
    int rc;

    if (!parse(argc, argv, &wanted, &rc))
        return rc;
    wanted.options.progress = !wanted.quiet && isatty(STDERR_FILENO);
    wanted.options.stop = pinsight_view_signals();
    if (pinsight_export_write(&export, wanted.format, &wanted.options) == 0) {
        rc = say(&wanted, &export);
    } else if (export.unread) {
        rc = 0;
    } else {
        fprintf(stderr, "pinsight: %s\n", export.error);
        rc = 1;
    }
    pinsight_export_clear(&export);
    free(wanted.output);
    return rc;
}
