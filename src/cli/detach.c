/* `pinsight detach`: ends the recording that `pinsight attach` began. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/process.h"
#include "cli/attach_end.h"
#include "cli/attach_one.h"
#include "cli/options.h"
#include "cli/run_output.h"
#include "cli/verbs.h"

struct detach_wanted {
    bool no_summary, quiet;
};

static const struct cli_option option_table[] = {
    CLI_OPTION(0, "no-summary", NULL, "print no summary of the trace",
               .at = offsetof(struct detach_wanted, no_summary)),
    CLI_QUIET_AND_HELP("print only errors", offsetof(struct detach_wanted, quiet)),
};

const struct cli_verb cli_detach = {
    .name = "detach",
    .about = "end the recording of `pinsight attach`",
    .usage =
        "usage: pinsight detach [OPTIONS] PID\n"
        "\n"
        "Ends the recording that `pinsight attach PID` began, and leaves the program as it was: "
        "it goes\n"
        "on at its own speed. Prints the summary of the trace.\n"
        "\n",
    .more = "\n"
            "Exit status: 0 it is let go, 1 it cannot be, or was not attached, 2 the options are "
            "wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 17,
    .aligned = true,
};

int pinsight_cmd_detach(int argc, char **argv) {
    struct detach_wanted wanted = {0};
    char output[PATH_MAX];
    bool attached;
    int status, pid;

    if (!cli_parse(&cli_detach, argc, argv, &wanted, NULL, &status)) {
        return status;
    }
    if (!pinsight_attach_pid("detach", argc, argv, &pid)) {
        return 2;
    }
    pinsight_message_quiet(wanted.quiet);
    if (!pinsight_attach_output(pid, output, &attached)) {
        char state = pinsight_process_state(pid);
        if (state == 0) {
            pinsight_error(
                "there is no process %d: its recording is complete, see `pinsight report`", pid);
        } else {
            pinsight_error("process %d is not recorded; `pinsight attach %d` begins that", pid,
                           pid);
        }
        return 1;
    }
    if (!attached) {
        pinsight_error("process %d was recorded from its start, and cannot be let go; `pinsight "
                       "ctl %d stop` ends the recording",
                       pid, pid);
        return 1;
    }
    unsigned left = pinsight_attach_let_go(output, pid);
    char ignored[PATH_MAX];
    if (pinsight_attach_output(pid, ignored, &attached)) {
        return 1;
    }
    if (left > 0) {
        pinsight_note("%u other processes are still recorded into %s", left,
                      pinsight_run_output_short(output));
        return 0;
    }
    return pinsight_attach_finish(output, wanted.quiet, wanted.no_summary);
}
