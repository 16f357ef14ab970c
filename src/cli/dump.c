/* `pinsight dump`: prints every event of a trace as a line of text. */
#include "views/dump.h"
#include "base/ascii.h"
#include "base/message.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "views/kit/screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const format_words[] = {"text", "json", NULL};

struct dump_wanted {
    struct pinsight_dump_options options;
    int format; /* an index of `format_words` */
    bool quiet;
};

#define AT(member) offsetof(struct dump_wanted, options.member)
static const struct cli_option option_table[] = {
    CLI_SELECT(struct dump_wanted, options.thread, options.process),
    CLI_OPTION(0, "limit", "N", "the first N events, 0 for all (default)", .kind = CLI_NUMBER,
               .at = AT(limit), .most = INT64_MAX),
    CLI_OPTION(0, "format", "FORMAT", "text (default), or json: one object a line",
               .kind = CLI_WORD, .at = offsetof(struct dump_wanted, format), .words = format_words),
    CLI_QUIET_AND_HELP("no report of unrecorded parts", offsetof(struct dump_wanted, quiet)),
};

const struct cli_verb cli_dump = {
    .name = "dump",
    .about = "the events of a trace as text, with names",
    .usage =
        "usage: pinsight dump [OPTIONS] [TRACE]\n"
        "\n"
        "Prints the events of a trace in order of time, one a line, with names in place of "
        "numbers. A\n"
        "line has the time since the first event, the process, the Python thread, the event, and "
        "its\n"
        "fields.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight dump pinsight-heat-1 | less\n"
            "  pinsight dump pinsight-heat-1 --thread 0 | grep Solver.step\n"
            "  pinsight dump trace --format json | jq 'select(.event == \"c_call_begin\")'\n"
            "\n" CLI_STATUS_OF_READING,
    CLI_OPTIONS(option_table),
    .column = 21,
};

/* Reports the missing parts. Returns the exit status. */
static int print_what_is_missing(const struct pinsight_dump_options *options, bool quiet,
                                 uint64_t shown, const struct pinsight_source_result *result) {
    pinsight_view_warn(result, quiet);
    if (result->stopped) {
        if (!quiet)
            pinsight_warning("the reading was interrupted: this is the trace's beginning");
        return 130;
    }
    if (!shown && (options->thread >= 0 || options->process >= 0)) {
        bool thread = options->thread >= 0;
        pinsight_error("no event is of %s %" PRId64 "; `pinsight report` lists the threads and "
                       "processes of a trace",
                       thread ? "thread" : "process", thread ? options->thread : options->process);
        return 1;
    }
    return result->warning_count > 0;
}

int pinsight_cmd_dump(int argc, char **argv) {
    struct dump_wanted wanted = {.options = {.thread = -1, .process = -1}};
    struct pinsight_dump_options *options = &wanted.options;
    struct pinsight_source_result result = {0};
    uint64_t shown = 0;
    int rc;

    if (!cli_parse(&cli_dump, argc, argv, &wanted, NULL, &rc))
        return rc;
    if (pinsight_option_trace("dump", argc, argv, &options->trace) != 0)
        return 2;
    options->json = wanted.format == 1;
    options->colour = pinsight_screen_colour(stdout);
    options->stop = pinsight_view_signals();
    FILE *screen = options->json ? stdout : pinsight_ascii_open(stdout);
    rc = pinsight_dump(options, screen, &shown, &result) == 0 ? 0 : 1;
    bool is_written = pinsight_ascii_close(screen, stdout) == 0;
    if (rc != 0) {
        pinsight_error("%s", result.error);
    } else if (!is_written) {
        rc = pinsight_option_write_error();
    } else {
        rc = print_what_is_missing(options, wanted.quiet, shown, &result);
    }
    pinsight_source_result_clear(&result);
    return rc;
}
