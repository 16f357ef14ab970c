/* `pinsight export`: writes a trace in the format of another tool. */
#include "views/export/export.h"
#include "base/message.h"
#include "cli/exporting.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char more_help[] =
    "\n"
    "Examples:\n"
    "  pinsight export pinsight-heat-1\n"
    "  pinsight export pinsight-heat-1 --to csv -o heat.csv\n"
    "\n"
    "Exit status: 0 the trace was read and written, 1 it is damaged or unreadable, or the output "
    "cannot\n"
    "be written, 2 wrong options, 130 Ctrl-C. The part that was read is written.\n";

struct export_wanted {
    struct pinsight_export_options options;
    int choice; /* an index of `pinsight_export_formats` */
    const struct pinsight_export_format *format;
    int64_t threshold_us;
    char *output; /* owned; NULL if -o names it */
    bool quiet;
};

static int print_help(const struct cli_verb *verb) {
    int rc = cli_print_options(verb);

    puts("");
    for (size_t i = 0; rc == 0 && pinsight_export_formats[i]; i++)
        cli_help_rest(pinsight_export_formats[i]->about,
                      (size_t)printf("  %-18s ", pinsight_export_formats[i]->name), 21);
    if (rc == 0)
        cli_help_text(more_help);
    return rc == 0 ? pinsight_print("") : rc;
}

static const char *format_name(size_t index) {
    return pinsight_export_formats[index] ? pinsight_export_formats[index]->name : NULL;
}

#define AT(member) offsetof(struct export_wanted, options.member)
static const struct cli_option option_table[] = {
    CLI_OPTION(0, "to", "FORMAT", "one of the forms below (default: the first)", .kind = CLI_WORD,
               .at = offsetof(struct export_wanted, choice), .word_at = format_name),
    CLI_OPTION('o', "output", "PATH",
               "the output (default: the trace's name and the form's suffix, in the current\n"
               "folder); - is standard output",
               .kind = CLI_TEXT, .at = AT(output)),
    CLI_OPTION(0, "force", NULL, "replace an existing output", .at = AT(force)),
    CLI_OPTION(0, "threshold", "US", "of chrome and folded: leave out slices below US microseconds",
               .kind = CLI_NUMBER, .at = offsetof(struct export_wanted, threshold_us),
               .most = INT64_MAX / 1000),
    CLI_SELECT(struct export_wanted, options.thread, options.process),
    CLI_REGION(AT(region)),
    CLI_SOURCES(AT(sources)),
    CLI_QUIET_AND_HELP("no progress, and no message at the end",
                       offsetof(struct export_wanted, quiet)),
};

const struct cli_verb cli_export = {
    .name = "export",
    .about = "a trace in the form of another tool",
    .usage = "usage: pinsight export [OPTIONS] [TRACE]\n"
             "\n"
             "Writes a trace in the form of another tool. TRACE is the folder that `pinsight run` "
             "wrote;\n"
             "without it, the newest one in this folder.\n"
             "\n",
    CLI_OPTIONS(option_table),
    .column = 21,
    .print_help = print_help,
};

/* Reads the command line. Returns true, or false with the exit status after help or a message. */
static bool parse(int argc, char **argv, struct export_wanted *wanted, int *status) {
    if (!cli_parse(&cli_export, argc, argv, wanted, NULL, status))
        return false;
    *status = 2;
    if (pinsight_option_trace("export", argc, argv, &wanted->options.trace) != 0)
        return false;
    wanted->format = pinsight_export_formats[wanted->choice];
    if (wanted->threshold_us && !wanted->format->threshold) {
        pinsight_error("--threshold is for --to chrome and --to folded, not %s",
                       wanted->format->name);
        return false;
    }
    if (wanted->options.sources && !wanted->format->sources) {
        pinsight_error("--sources is for --to html, not %s", wanted->format->name);
        return false;
    }
    wanted->options.threshold_ns = (uint64_t)wanted->threshold_us * 1000;
    if (!wanted->options.output)
        wanted->options.output = wanted->output =
            pinsight_exporting_output(wanted->options.trace, wanted->format->suffix);
    if (wanted->format->folder && !strcmp(wanted->options.output, "-")) {
        pinsight_error("%s is a folder and cannot go to standard output; use -o FOLDER",
                       wanted->format->name);
        return false;
    }
    return true;
}

static void say_written(void *data, const struct pinsight_export *export) {
    const struct export_wanted *wanted = data;

    if (!wanted->quiet && strcmp(wanted->options.output, "-") != 0)
        pinsight_note("%s: %" PRIu64 " %s; %s", wanted->options.output, export->slices,
                      wanted->format->counted ? wanted->format->counted : "slices",
                      wanted->format->about);
}

int pinsight_cmd_export(int argc, char **argv) {
    struct export_wanted wanted = {.options = {.thread = -1, .process = -1}};
    int rc;

    if (!parse(argc, argv, &wanted, &rc))
        return rc;
    rc = pinsight_exporting(wanted.format, &wanted.options, wanted.quiet, say_written, &wanted);
    free(wanted.output);
    return rc;
}
