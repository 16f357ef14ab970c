/* `pinsight compare`: runs two commands in turn, and shows which takes more time, and in which
 * functions. */
#include "base/leftover.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/paths.h"
#include "base/program.h"
#include "base/run_info.h"
#include "base/spawn.h"
#include "cli/diff_runs.h"
#include "cli/diff_store.h"
#include "cli/verbs.h"
#include "cli/view_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_RUNS 5
#define MOST_RUNS 1000

struct compare_wanted {
    struct pinsight_diff_options options;
    double fail_above; /* in percent; negative for no limit */
    int64_t runs;      /* of each side */
    const char *output, *events, *mode;
    bool show;
    bool quiet;
    bool stored;        /* side A is runs of a store, commands[0][0] */
    char **commands[2]; /* words in argv, ended by NULL */
};

#define AT(member) offsetof(struct compare_wanted, member)
static const struct cli_option option_table[] = {
    CLI_OPTION('n', "runs", "N", "runs of each command (default 5)", .kind = CLI_NUMBER,
               .at = AT(runs), .most = MOST_RUNS),
    CLI_OPTION('o', "output", "DIR", "keep the traces in this folder, new or empty: a-1, b-1, ...",
               .kind = CLI_TEXT, .at = AT(output)),
    CLI_OPTION(0, "events", "LIST",
               "kinds of events, as for `pinsight run` (default function,c_call)", .kind = CLI_TEXT,
               .at = AT(events)),
    CLI_OPTION(0, "mode", "MODE", "TRACING (default), or MONITORING: counts and times only",
               .kind = CLI_TEXT, .at = AT(mode)),
    CLI_OPTION(0, "show-output", NULL, "show the output of the commands", .at = AT(show)),
    CLI_DIFF_OPTIONS(struct compare_wanted),
    CLI_QUIET_AND_HELP("no progress", AT(quiet)),
};

const struct cli_verb cli_compare = {
    .name = "compare",
    .about = "run two commands in turn, and name the slower function",
    .usage =
        "usage: pinsight compare [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
        "                        --to COMMAND [ARGUMENT...]\n"
        "       pinsight compare [OPTIONS] STORE:RUNS --to COMMAND [ARGUMENT...]\n"
        "       pinsight compare [--format FORMAT] [--fail-above P] STORE:RUNS STORE:RUNS\n"
        "\n"
        "Runs the command before --to (A) and the one after it (B) in turn, A B A B ..., traced.\n"
        "Compares their runs like `pinsight diff`. A change is a difference that exceeds those "
        "of one\n"
        "command's runs.\n"
        "With STORE:RUNS, A is runs that `pinsight store` keeps, and only B runs: STORE is a file, "
        "and RUNS\n"
        "is like 7 or 1-5,9. If B is such runs, too, nothing runs.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight compare -- python3 old.py --to python3 new.py\n"
            "  pinsight compare -n 10 --fail-above 5% -- env PYTHONPATH=old python3 app.py \\\n"
            "                                       --to env PYTHONPATH=new python3 app.py\n"
            "  pinsight compare history.db:110-119 --to python3 app.py\n"
            "\n"
            "Exit status: 0 the commands were compared, 1 a command failed or was not recorded, 2 "
            "wrong\n"
            "options, 3 B is slower than --fail-above allows, 130 Ctrl-C.\n",
    CLI_OPTIONS(option_table),
    .column = 21,
    .has_command = true,
};

/* Returns whether both sides are runs of a store, with or without --to between them, so that there
 * is nothing to run. Such a comparison is that of `pinsight diff`; sets *status to its exit status.
 */
static bool compare_without_runs(const struct compare_wanted *wanted, char **words, int *status) {
    const char *const *all = (const char *const *)words;
    size_t count = 0;

    while (count < 4 && all[count])
        count++;
    size_t last = count == 3 && !strcmp(all[1], "--to") ? 2 : 1;
    if (count != last + 1 || !cli_diff_has_stored(all, 1) || !cli_diff_has_stored(all + last, 1))
        return false;
    *status = 2;
    if (wanted->runs != DEFAULT_RUNS || wanted->output || wanted->events || wanted->mode ||
        wanted->show)
        pinsight_error("runs of a store do not run again: --runs, --output, --events, --mode and "
                       "--show-output are for commands");
    else if (cli_diff_fits_store("compare", &wanted->options))
        *status = cli_diff_stored((const char *const *[2]){all, all + last}, (size_t[2]){1, 1},
                                  &wanted->options, wanted->fail_above);
    return true;
}

/* Divides the words after the options into the two commands. Returns false after a message if one
 * is missing. */
static bool has_commands(struct compare_wanted *wanted, char **words) {
    char **to = words;

    if ((int)wanted->options.format == CLI_DIFF_PAGE && !wanted->output) {
        pinsight_error("a page is made of traces, which are kept with -o DIR");
        return false;
    }
    while (*to && strcmp(*to, "--to"))
        to++;
    if (!*words || to == words || !*to || !to[1]) {
        pinsight_error("which commands? Give two, with --to between them: pinsight compare -- "
                       "python3 old.py --to python3 new.py");
        return false;
    }
    *to = NULL;
    wanted->commands[0] = words;
    wanted->commands[1] = to + 1;
    if (!to[2] && cli_diff_has_stored((const char *const *)to + 1, 1)) {
        pinsight_error("\"%s\" has runs of a store, which go before --to; after it is the command",
                       to[1]);
        return false;
    }
    wanted->stored = !words[1] && cli_diff_has_stored((const char *const *)words, 1);
    return !wanted->stored || cli_diff_fits_store("compare", &wanted->options);
}

/* Returns the folder for a run's trace. The caller frees it. */
static char *folder_of(const char *folder, unsigned side, int64_t run) {
    return pinsight_format("%s/%c-%d", folder, "ab"[side], (int)run + 1);
}

static void without_output(void *data) {
    const struct compare_wanted *wanted = data;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    pinsight_signals_default();
    if (nothing < 0)
        return;
    dup2(nothing, STDIN_FILENO);
    if (!wanted->show)
        dup2(nothing, STDOUT_FILENO);
}

/* Runs a command once, traced into a folder. Returns its wait status, or -1 after a message. */
static int run_once(struct compare_wanted *wanted, unsigned side, char *trace) {
    char self[PATH_MAX];
    char *before[] = {self,       "run",
                      "--quiet",  "--no-summary",
                      "--output", trace,
                      "--events", (char *)(wanted->events ? wanted->events : "function,c_call"),
                      "--mode",   (char *)(wanted->mode ? wanted->mode : "TRACING"),
                      "--"};
    const size_t ahead = sizeof(before) / sizeof(before[0]);
    extern char **environ;
    size_t count = 0;
    int error = 0;
    char **words;
    pid_t pid;

    if (!pinsight_program_self(self, sizeof(self))) {
        pinsight_error("this program's own path cannot be found: %s", strerror(errno));
        return -1;
    }
    while (wanted->commands[side][count])
        count++;
    words = pinsight_calloc(ahead + count + 1, sizeof(*words));
    memcpy(words, before, sizeof(before));
    memcpy(words + ahead, wanted->commands[side], count * sizeof(*words));
    pid = pinsight_spawn(execve, words, environ, 0, without_output, wanted, &error);
    free(words);
    if (pid == 0) {
        pinsight_error("%s cannot be started: %s", self, strerror(error));
        return -1;
    }
    return pinsight_reap(pid);
}

static bool has_succeeded(const struct compare_wanted *wanted, unsigned side, int status) {
    char command[4096];

    if (status == -1)
        return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    pinsight_run_info_quote(wanted->commands[side], command, sizeof(command));
    if (WIFSIGNALED(status))
        pinsight_error("%s was ended by signal %d (%s): nothing is compared", command,
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        pinsight_error("%s ended with exit status %d: nothing is compared", command,
                       WEXITSTATUS(status));
    return false;
}

static void show_progress(const struct compare_wanted *wanted, unsigned side, int64_t run) {
    if (!wanted->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Krun %d of %d, %c", (int)run + 1, (int)wanted->runs, "AB"[side]);
}

static void end_progress(const struct compare_wanted *wanted) {
    if (!wanted->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Runs the commands in turn. Removes each trace after it was read, unless the user keeps it, or it
 * is compared with a store later. Returns the exit status so far. */
static int run_all(struct compare_wanted *wanted, struct pinsight_diff *diff, const char *folder) {
    const volatile sig_atomic_t *stop = pinsight_view_signals();
    int worst = 0;

    for (int64_t run = 0; run < wanted->runs; run++)
        for (unsigned side = wanted->stored; side < 2; side++) {
            char *trace = folder_of(folder, side, run);
            int status, rc;

            show_progress(wanted, side, run);
            status = run_once(wanted, side, trace);
            end_progress(wanted);
            rc = *stop || !has_succeeded(wanted, side, status) ? -1
                 : wanted->stored                              ? 0
                                  : pinsight_diff_read(diff, side, trace, true, stop, &worst);
            if (!wanted->output && !wanted->stored)
                pinsight_path_remove(trace);
            free(trace);
            if (rc != 0 || worst == 130)
                return *stop || worst == 130 ? 130 : 1;
        }
    return worst;
}

/* Returns the folder for the traces, which the caller frees; NULL after a message. */
static char *make_folder(const struct compare_wanted *wanted) {
    const char *place = getenv("TMPDIR");
    char *folder;
    int error;

    if (wanted->output) {
        error = pinsight_path_make(wanted->output, 0777);
        if (error == 0 && !pinsight_path_is_empty_folder(wanted->output))
            error = ENOTEMPTY;
        if (error != 0)
            pinsight_error("cannot write into %s: %s; name a new folder with -o", wanted->output,
                           strerror(error));
        return error == 0 ? pinsight_strdup(wanted->output) : NULL;
    }
    folder = pinsight_format("%s/pinsight-compare-XXXXXX", place && *place ? place : "/tmp");
    if (mkdtemp(folder)) {
        pinsight_leftover_note(folder);
        return folder;
    }
    pinsight_error("cannot make %s: %s; set TMPDIR to a folder that can be written to, or name one "
                   "with -o",
                   folder, strerror(errno));
    free(folder);
    return NULL;
}

/* Compares the traces in the folder with runs of a store. Returns the exit status. */
static int compare_stored(const struct compare_wanted *wanted, const char *folder) {
    const size_t counts[2] = {1, (size_t)wanted->runs};
    const char **traces = pinsight_calloc(counts[1], sizeof(*traces));
    int status = -1;
    pid_t pid;

    for (size_t i = 0; i < counts[1]; i++)
        traces[i] = folder_of(folder, 1, (int64_t)i);
    fflush(NULL);
    pid = fork(); /* Python takes the place of this program, and the traces remain to be removed */
    if (pid == 0)
        exit(cli_diff_stored(
            (const char *const *const[2]){(const char *const *)wanted->commands[0], traces}, counts,
            &wanted->options, wanted->fail_above));
    if (pid > 0)
        status = pinsight_reap(pid);
    else
        pinsight_error("no process for the comparison can be started: %s", strerror(errno));
    for (size_t i = 0; i < counts[1]; i++)
        free((void *)traces[i]);
    free((void *)traces);
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int write_comparison(const struct compare_wanted *wanted, struct pinsight_diff *diff,
                            const char *folder) {
    char *traces[2] = {folder_of(folder, 0, 0), folder_of(folder, 1, 0)};
    int worst;

    pinsight_diff_finish(diff);
    worst = pinsight_diff_write(diff, &wanted->options, (const char *const *)traces,
                                wanted->fail_above, 0);
    PINSIGHT_FREE(traces[0], traces[1]);
    return worst;
}

static int compare(struct compare_wanted *wanted) {
    char commands[2][1024];
    struct pinsight_diff *diff;
    char *folder;
    int worst;

    for (unsigned side = 0; side < 2; side++) {
        pinsight_run_info_quote(wanted->commands[side], commands[side], sizeof(commands[side]));
        wanted->options.names[side] = commands[side];
    }
    folder = make_folder(wanted);
    if (!folder)
        return 1;
    diff = pinsight_diff_new(&wanted->options);
    worst = run_all(wanted, diff, folder);
    if (worst == 130)
        pinsight_error("interrupted: nothing is compared");
    else if (worst == 0)
        worst = wanted->stored ? compare_stored(wanted, folder)
                               : write_comparison(wanted, diff, folder);
    if (!wanted->output) {
        pinsight_path_remove(folder);
        pinsight_leftover_forget(folder);
    }
    pinsight_diff_free(diff);
    free(folder);
    return worst;
}

int pinsight_cmd_compare(int argc, char **argv) {
    struct compare_wanted wanted = {
        .options = pinsight_diff_defaults(), .fail_above = -1, .runs = DEFAULT_RUNS};
    int rc;

    if (!cli_parse(&cli_compare, argc, argv, &wanted, NULL, &rc))
        return rc;
    if (wanted.runs < 1) {
        pinsight_error("--runs takes a number from 1 to %d", MOST_RUNS);
        return 2;
    }
    if (compare_without_runs(&wanted, argv + optind, &rc))
        return rc;
    return has_commands(&wanted, argv + optind) ? compare(&wanted) : 2;
}
