/* `pinsight doctor`: checks the installation, and reports which parts a trace would lack. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/message.h"
#include "base/program.h"
#include "cli/options.h"
#include "cli/run_errors.h"
#include "cli/run_script.h"
#include "cli/verbs.h"
#include "doctor/checks.h"
#include "views/kit/screen.h"

static const char *const formats[] = {"text", "json", NULL};

struct doctor_wanted {
    int format; /* an index of `formats` */
    bool no_trial, peak;
};

static const struct cli_option option_table[] = {
    CLI_OPTION(0, "format", "FORMAT", "text (default) or json", .kind = CLI_WORD,
               .at = offsetof(struct doctor_wanted, format), .words = formats),
    CLI_OPTION(0, "no-trial", NULL, "no trial run", .at = offsetof(struct doctor_wanted, no_trial)),
    CLI_OPTION(0, "peak", NULL,
               "measure the processor's floating-point peak, in place\n"
               "of the checks: pinsight report --blas shows shares of it",
               .at = offsetof(struct doctor_wanted, peak)),
    CLI_HELP,
};

const struct cli_verb cli_doctor = {
    .name = "doctor",
    .about = "check the requirements of PInsight, with cures",
    .usage =
        "usage: pinsight doctor [OPTIONS] [[--] COMMAND [ARGUMENT...]]\n"
        "\n"
        "Checks the requirements of PInsight, and explains how to fix each finding. It checks its "
        "own\n"
        "files, the recorders with a trial run, the Pythons on PATH, OpenMP runtimes, MPI's "
        "libraries\n"
        "and mpirun. It also checks NVIDIA's driver and CUPTI, memory, disk, permissions and "
        "limits. With\n"
        "a command, it checks the libraries of that command, and does not run it.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight doctor\n"
            "  pinsight doctor -- venv/bin/python app.py\n"
            "  pinsight doctor --peak\n"
            "\n"
            "Exit status: 0 if PInsight works here, 1 if it cannot record, 2 for wrong options.\n",
    CLI_OPTIONS(option_table),
    .column = 23,
    .aligned = true,
    .has_command = true,
};

/* Makes the words of a command those that `pinsight run` would start. Returns -1, or an exit status
 * after a message if it could not start them. */
static int take_command(char ***command) {
    char runs_in[PATH_MAX], path[PATH_MAX];
    int status = pinsight_run_script_take(command, runs_in, sizeof(runs_in));

    if (status >= 0)
        return status;
    int error = pinsight_program_find((*command)[0], path);
    return error != 0 ? pinsight_run_report_start((*command)[0], error) : -1;
}

static void check_all(struct pinsight_findings *findings, char *const *command, bool trial) {
    char libdir[PATH_MAX];
    bool installed = pinsight_check_installation(findings, libdir);

    pinsight_check_recorder(findings, libdir, installed && trial);
#define CHECK(name, needs_libdir)                                                                  \
    if (installed || !(needs_libdir))                                                              \
        pinsight_check_##name(findings, libdir, command);
#include "doctor/checks.def"
#undef CHECK
    pinsight_check_system(findings);
}

int pinsight_cmd_doctor(int argc, char **argv) {
    struct doctor_wanted wanted = {.format = 0};
    struct pinsight_findings findings = {.count = 0};
    char **command;
    int rc;

    if (!cli_parse(&cli_doctor, argc, argv, &wanted, NULL, &rc)) {
        return rc;
    }
    command = optind < argc ? argv + optind : NULL;
    rc = command != NULL ? take_command(&command) : -1;
    if (rc >= 0)
        return rc;
    if (wanted.peak)
        pinsight_check_peak(&findings);
    else
        check_all(&findings, command, !wanted.no_trial);
    if (wanted.format == 1) {
        pinsight_findings_print_json(&findings, stdout);
    } else {
        FILE *screen = pinsight_ascii_open(stdout);
        pinsight_findings_print(&findings, screen, pinsight_screen_colour(stdout),
                                pinsight_screen_terminal_width(stdout));
        pinsight_ascii_close(screen, stdout);
    }
    bool good = pinsight_findings_count(&findings, PINSIGHT_FOUND_ERROR) == 0;
    if (findings.no_memory) {
        pinsight_error("there is not enough memory: some findings are left out");
        good = false;
    }
    pinsight_findings_free(&findings);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        pinsight_error("the output could not be written; is the disk full?");
        return 1;
    }
    return good ? 0 : 1;
}
