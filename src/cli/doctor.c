/* `pinsight doctor`: is everything there, and what would be missing in a trace? */
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/words.h"
#include "cli/complaints.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "doctor/checks.h"
#include "views/kit/screen.h"

enum { OPTION_FORMAT = 256, OPTION_NO_TRIAL };

static const char *const formats[] = {"text", "json", NULL};

static const struct cli_option option_table[] = {
    CLI_OPTION(0, "format", "WHAT", "text (default) or json", .id = OPTION_FORMAT,
               .words = formats),
    CLI_OPTION(0, "no-trial", NULL, "no trial run", .id = OPTION_NO_TRIAL),
    CLI_HELP,
};

const struct cli_verb cli_doctor = {
    .name = "doctor",
    .about = "check what PInsight needs, and what would not be seen; how to fix it",
    .usage = "usage: pinsight doctor [OPTIONS] [[--] COMMAND [ARGUMENT...]]\n"
             "\n"
             "Checks what PInsight needs, and says of each finding how to fix it: its own files, "
             "LTTng and\n"
             "its daemon (with a trial run), the Pythons on PATH, OpenMP runtimes and what loads "
             "them, MPI's\n"
             "libraries and mpirun, memory, disk, permissions and limits. With a command: what "
             "that would\n"
             "load. It is not run.\n"
             "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight doctor\n"
            "  pinsight doctor -- venv/bin/python app.py\n"
            "\n"
            "Exit status: 0 if PInsight works here, 1 if something keeps it from recording, 2 for "
            "wrong\n"
            "options.\n",
    CLI_OPTIONS(option_table),
    .column = 23,
    .aligned = true,
    .has_command = true,
};

struct options {
    bool json, no_trial, help;
    char **command; /* NULL: none */
};

static bool read_options(struct options *options, int argc, char **argv, char *complaint,
                         size_t room) {
    struct cli_getopt table;
    const char *word;

    cli_getopt(&cli_doctor, "+:", &table);
    optind = 0;
    opterr = 0;
    for (;;) {
        optopt = 0;
        int option = getopt_long(argc, argv, table.letters, table.longs, NULL);
        switch (option) {
        case -1:
            options->command = optind < argc ? argv + optind : NULL;
            return true;
        case OPTION_FORMAT:
            word = pinsight_word_find(optarg, strlen(optarg), formats);
            if (word == NULL) {
                pinsight_complaint_word(complaint, room, "--format", optarg, formats);
                return false;
            }
            options->json = word == formats[1];
            break;
        case OPTION_NO_TRIAL:
            options->no_trial = true;
            break;
        case 'h':
            options->help = true;
            return true;
        default:
            pinsight_complaint_option(complaint, room, "doctor", option, argv, table.longs);
            return false;
        }
    }
}

int pinsight_cmd_doctor(int argc, char **argv) {
    struct options options = {.json = false};
    struct pinsight_findings findings = {.count = 0};
    char complaint[512], libdir[PATH_MAX];

    if (!read_options(&options, argc, argv, complaint, sizeof(complaint))) {
        pinsight_error("%s", complaint);
        return 2;
    }
    if (options.help) {
        return cli_print_help(&cli_doctor);
    }
    bool installed = pinsight_check_installation(&findings, libdir);
    pinsight_check_recorder(&findings);
    if (installed && !options.no_trial) {
        pinsight_check_trial(&findings);
    }
    if (installed) {
        pinsight_check_pythons(&findings, libdir, options.command);
    }
    pinsight_check_openmp(&findings, options.command);
    if (installed) {
        pinsight_check_mpi(&findings, libdir, options.command);
    }
    pinsight_check_system(&findings);
    if (options.json) {
        pinsight_findings_print_json(&findings, stdout);
    } else {
        pinsight_findings_print(&findings, stdout, pinsight_screen_colour(stdout));
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
