/* `pinsight attach`: records a program that runs already. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/process.h"
#include "cli/attach_begin.h"
#include "cli/attach_end.h"
#include "cli/attach_one.h"
#include "cli/options.h"
#include "cli/run_output.h"
#include "cli/verbs.h"
#include "format/ring_head.h"
#include "session/launch.h"

enum { LONGEST_S = 10000000, LOOK_MS = 100, GENERATIONS = 64 };

struct attach_wanted {
    int64_t for_ms; /* 0: until `pinsight detach` */
    const char *output, *config, *ring;
    bool children, no_summary, quiet;
};

/* Reads a time, such as "10", "10s", "2.5s", "5min", "1h" or "500ms". */
static int take_for(void *options, const struct cli_option *option, const char *value) {
    static const struct {
        const char *word;
        double ms;
    } units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"min", 60000}, {"m", 60000}, {"h", 3600000}};
    char *end;
    double number = *value >= '0' && *value <= '9' ? strtod(value, &end) : -1;

    for (size_t i = 0; number > 0 && i < sizeof(units) / sizeof(*units); i++) {
        if (strcmp(end, units[i].word) == 0 && number * units[i].ms <= LONGEST_S * 1000.0) {
            int64_t ms = (int64_t)(number * units[i].ms);
            ((struct attach_wanted *)options)->for_ms = ms > 0 ? ms : 1;
            return 0;
        }
    }
    pinsight_error("--%s takes a time such as 10s, 500ms or 5min, not '%s'", option->name, value);
    return -1;
}

static const struct cli_option option_table[] = {
    CLI_OPTION(0, "for", "TIME",
               "time of the recording, such as 10s or 5min; then the summary is\n"
               "printed (default: until `pinsight detach`)",
               .kind = CLI_TAKE, .take = take_for),
    CLI_OPTION('o', "output", "DIR", "the trace's folder (default: ./pinsight-<program>-<number>)",
               .kind = CLI_TEXT, .at = offsetof(struct attach_wanted, output)),
    CLI_OPTION('c', "config", "FILE", "a configuration, as `pinsight config init` writes it",
               .kind = CLI_TEXT, .at = offsetof(struct attach_wanted, config)),
    CLI_OPTION(0, "ring", "LIMIT", "keep only the last part, such as 30s or 64M (flight recorder)",
               .kind = CLI_TEXT, .at = offsetof(struct attach_wanted, ring)),
    CLI_OPTION(0, "children", NULL, "also Pythons that it has started, and their children",
               .at = offsetof(struct attach_wanted, children)),
    CLI_OPTION(0, "no-summary", NULL, "print no summary of the trace",
               .at = offsetof(struct attach_wanted, no_summary)),
    CLI_QUIET_AND_HELP("print only errors", offsetof(struct attach_wanted, quiet)),
};

const struct cli_verb cli_attach = {
    .name = "attach",
    .about = "record a program that runs already, for a while",
    .usage =
        "usage: pinsight attach [OPTIONS] PID\n"
        "\n"
        "Begins to record a Python program that runs already: all of its threads, from this moment "
        "on.\n"
        "Their open calls are recorded as begun before. The program needs no preparation, and "
        "runs at\n"
        "its own speed afterwards.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight attach --for 10s 4711\n"
            "  pinsight attach -o trace 4711 ; sleep 60 ; pinsight detach 4711\n"
            "\n"
            "Exit status: 0 it was recorded, 1 it cannot be, 2 the options are wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 21,
    .aligned = true,
};

bool pinsight_attach_pid(const char *verb, int argc, char **argv, int *pid) {
    char *end;

    if (argc - optind != 1) {
        pinsight_error("%s wants the number of one process; for example: pinsight %s 4711", verb,
                       verb);
        return false;
    }
    const char *typed = argv[optind];
    errno = 0;
    long number = strtol(typed, &end, 10);
    if (errno != 0 || *end != '\0' || end == typed || number <= 0 || number > INT_MAX) {
        pinsight_error("'%s' is no number of a process; `pgrep -af python` lists those of Python",
                       typed);
        return false;
    }
    *pid = (int)number;
    return true;
}

/* ---- children ---- */

static bool is_below(pid_t pid, pid_t ancestor) {
    for (int i = 0; i < GENERATIONS && pid > 1; i++) {
        pid = pinsight_process_parent(pid);
        if (pid == ancestor) {
            return true;
        }
    }
    return false;
}

/* Attaches the children that run Python, and reports those that cannot be recorded. Children that
 * were forked after the begin of their parent's recording are recorded already. */
static void attach_children(int pid, const char *libdir, const struct pinsight_attach_how *how) {
    static struct pinsight_attach_target child;
    char why[4096], there[PATH_MAX], *end;
    bool attached;
    DIR *processes = opendir("/proc");

    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
        long number = strtol(entry->d_name, &end, 10);
        if (number <= 1 || *end != '\0' || number == getpid() || !is_below((pid_t)number, pid)) {
            continue;
        }
        if (!pinsight_target_look(&child, (int)number, libdir, "attach", why, sizeof(why))) {
            if (child.runtime.version != 0) {
                pinsight_warning("%s", why);
            }
        } else if (!pinsight_attach_output(child.pid, there, &attached) &&
                   !pinsight_attach_one(&child, how, why, sizeof(why))) {
            pinsight_warning("%s", why);
        }
    }
    if (processes != NULL) {
        closedir(processes);
    }
}

/* Waits until the time is over, the process ends, or Ctrl-C. */
static void wait_for(int64_t ms, int pid, const struct pinsight_signals *signals) {
    int64_t until = pinsight_now_ms() + ms;

    for (;;) {
        struct pollfd wait = {.fd = signals->fd, .events = POLLIN};
        int64_t left = until - pinsight_now_ms();
        char state = pinsight_process_state(pid);
        if (left <= 0 || state == 0 || state == 'Z') {
            return;
        }
        if (poll(&wait, 1, (int)(left < LOOK_MS ? left : LOOK_MS)) > 0 &&
            pinsight_signals_deadly(signals) != 0) {
            return;
        }
    }
}

int pinsight_cmd_attach(int argc, char **argv) {
    static struct attach_wanted wanted;
    struct pinsight_attach_wish wish = {.verb = "attach"};
    struct pinsight_attach_begun begun;
    char config[PATH_MAX] = "", *output = begun.output;
    struct pinsight_ring_limit limit;
    struct pinsight_signals signals;
    bool attached;
    int status;

    if (!cli_parse(&cli_attach, argc, argv, &wanted, NULL, &status)) {
        return status;
    }
    if (!pinsight_attach_pid("attach", argc, argv, &wish.pid)) {
        return 2;
    }
    pinsight_message_quiet(wanted.quiet);
    if (wanted.config != NULL && realpath(wanted.config, config) == NULL) {
        pinsight_error("the configuration file %s cannot be read: %s", wanted.config,
                       strerror(errno));
        return 2;
    }
    if (wanted.ring != NULL && !pinsight_ring_limit_parse(wanted.ring, &limit)) {
        pinsight_error(
            "--ring cannot be '%s': write how much to keep of each process: " PINSIGHT_RING_FORMS,
            wanted.ring);
        return 2;
    }
    wish.output = wanted.output;
    wish.config = config;
    wish.ring = wanted.ring != NULL ? wanted.ring : "";
    status = pinsight_attach_look(&wish, &begun);
    if (status != 0) {
        return status;
    }
    const int pid = wish.pid;
    if (pinsight_attach_output(pid, output, &attached)) {
        pinsight_error("process %d is recorded already, into %s; %s%d%s", pid,
                       *output != '\0' ? output : "a session",
                       attached ? "`pinsight detach " : "`pinsight ctl ", pid,
                       attached ? "` ends that" : " status` says how");
        return 1;
    }
    if (wanted.for_ms > 0 && pinsight_launch_signals_take(&signals) != 0) {
        pinsight_error("signals cannot be taken: %s", strerror(errno));
        return 1;
    }
    status = pinsight_attach_begin(&wish, &begun);
    if (status != 0) {
        return status;
    }
    if (wanted.children) {
        const struct pinsight_attach_how how = {output, wish.config, wish.ring};
        attach_children(pid, begun.libdir, &how);
    }
    if (wanted.for_ms == 0) {
        pinsight_note("process %d is recorded into %s; `pinsight detach %d` ends that", pid,
                      pinsight_run_output_short(output), pid);
        return 0;
    }
    wait_for(wanted.for_ms, pid, &signals);
    sigprocmask(SIG_SETMASK, &signals.old_mask, NULL);
    close(signals.fd);
    if (pinsight_attach_let_go(output, 0) > 0) {
        return 1;
    }
    return pinsight_attach_finish(output, wanted.quiet, wanted.no_summary);
}
