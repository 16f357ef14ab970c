/* The end of a run: the session is closed, the user is told what came of it. */
#include "cli/run_end.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run_output.h"
#include "cli/verbs.h"
#include "session/paths.h"
#include "session/process.h"
#include "session/say.h"
#include "session/session.h"

#if PINSIGHT_HAVE_VIEWS
#include "views/screen.h"
#include "views/summary.h"
#endif

enum { DISK_FULL_BYTES = 1 << 20, DAEMON_MS = 3000 };

bool pinsight_ending_hear(struct pinsight_ending *ending, struct pinsight_keeper *keeper) {
    struct pinsight_message message;
    int got = pinsight_keeper_receive(keeper, &message, 0);

    if (got < 0) {
        if (!ending->answered) {
            ending->keeper_died = true;
            pinsight_complain("the keeper of the session has ended; the command goes on%s",
                              ending->foreign_daemon ? "" : " and nothing more is recorded");
        }
        return false;
    }
    if (got > 0 && message.word == PINSIGHT_WORD_NOTICE) {
        pinsight_complain("%s", message.text);
    } else if (got > 0 && message.word == PINSIGHT_WORD_DAEMON) {
        ending->daemon = message.daemon;
    } else if (got > 0 && message.word == PINSIGHT_WORD_ENDED) {
        ending->answered = true;
        ending->answer = message;
    }
    return true;
}

/* Waits for the keeper's last word; false if a signal ended the wait. */
static bool wait_for_end(struct pinsight_ending *ending, struct pinsight_keeper *keeper,
                         const struct pinsight_signals *signals) {
    pinsight_keeper_end(keeper);
    while (keeper->fd >= 0 && !ending->answered) {
        struct pollfd wait[2] = {{.fd = keeper->fd, .events = POLLIN},
                                 {.fd = signals->fd, .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR) {
            return true;
        }
        if (wait[0].revents != 0) {
            pinsight_ending_hear(ending, keeper);
        }
        if (wait[1].revents != 0 && pinsight_signals_deadly(signals) != 0) {
            return false;
        }
    }
    return true;
}

/*
 * A daemon whose keeper was killed is told to end by the kernel; one that was just starting may
 * miss it. What it has recorded is on disk when it is gone.
 */
static void see_daemon_off(const struct pinsight_ending *ending) {
    int64_t until = pinsight_now_ms() + DAEMON_MS;

    while (pinsight_process_alive(&ending->daemon) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(10);
    }
    if (pinsight_process_alive(&ending->daemon)) {
        kill(ending->daemon.pid, SIGKILL);
    }
}

void pinsight_ending_drop_session(const struct pinsight_ending *ending) {
    struct pinsight_session session;
    struct pinsight_session_result result;

    if (ending->foreign_daemon && ending->session[0] != '\0') {
        memset(&session, 0, sizeof(session));
        snprintf(session.name, sizeof(session.name), "%s", ending->session);
        pinsight_session_destroy(&session, NULL, NULL, &result);
    }
}

void pinsight_ending_clear(const struct pinsight_ending *ending, const char *output) {
    char folder[PATH_MAX];

    if (ending->keeper_died) {
        see_daemon_off(ending);
    }
    if (pinsight_path_join(folder, output, "ust")) {
        pinsight_path_remove(folder);
    }
    if (pinsight_path_join(folder, output, PINSIGHT_RUN_INFO_FILE)) {
        unlink(folder);
    }
}

/* The keeper was killed. Its daemon died with it; in another's, the session is still there. */
static void end_without_keeper(const struct pinsight_ending *ending, const char *output,
                               const struct pinsight_run_info *info) {
    struct pinsight_session session;
    struct pinsight_session_result result;

    see_daemon_off(ending);
    if (!ending->foreign_daemon) {
        return;
    }
    memset(&session, 0, sizeof(session));
    snprintf(session.name, sizeof(session.name), "%s", info->session);
    snprintf(session.output, sizeof(session.output), "%s", output);
    pinsight_session_stop(&session, &result);
    if (result.error >= 0) {
        pinsight_session_destroy(&session, NULL, NULL, &result);
    }
}

static void note_result(const struct pinsight_ending *ending, struct pinsight_run_info *info,
                        int status) {
    const struct pinsight_message *answer = &ending->answer;

    info->ended = true;
    info->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    info->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    info->daemon_died = ending->keeper_died || answer->daemon_died;
    info->consumer_died = answer->consumer_died;
    if (ending->answered) {
        info->incomplete = answer->result.incomplete || answer->result.error != 0;
        info->counted = !answer->daemon_died && answer->result.error == 0;
        info->discarded_events = answer->result.discarded_events;
        info->lost_packets = answer->result.lost_packets;
    }
}

static void say_problems(const struct pinsight_ending *ending, const char *output,
                         const struct pinsight_run_info *info) {
    struct statvfs disk;

    if (statvfs(output, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < DISK_FULL_BYTES) {
        pinsight_complain("the disk with %s is full, so the end of the trace is missing; free some "
                          "space, or use --max-size",
                          output);
    } else if (ending->answered && ending->answer.result.incomplete) {
        pinsight_complain("LTTng's consumer daemon did not write everything; the end of the trace "
                          "is missing");
    }
    if (ending->answered && ending->answer.result.error != 0 && !info->daemon_died) {
        pinsight_complain("the session was not ended properly: %s%s%s", ending->answer.result.text,
                          ending->foreign_daemon ? "; then remove it with: lttng destroy " : "",
                          ending->foreign_daemon ? info->session : "");
    }
}

#if PINSIGHT_HAVE_VIEWS
static volatile sig_atomic_t stop_reading;

static void on_stop(int number) {
    (void)number;
    stop_reading = 1;
}

/* From here on a signal is for the reading of the trace, which may take a while. */
static void let_signals_stop_reading(const struct pinsight_signals *signals) {
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};

    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
    sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

static void print_summary(const struct pinsight_ending *ending,
                          const struct pinsight_signals *signals, const char *output,
                          const struct pinsight_run_info *info) {
    char status[64] = "";
    struct pinsight_summary_options summary = {
        .quiet = ending->quiet,
        .colour = pinsight_screen_colour(stderr),
        .progress = isatty(STDERR_FILENO),
        .command = info->command,
        .wall_ns = ending->wall_ns,
        .pinsight = pinsight_command_word,
        .run = info,
        .stop = &stop_reading,
    };

    if (info->signal != 0) {
        snprintf(status, sizeof(status), "ended by signal %d (%s)", info->signal,
                 strsignal(info->signal));
    } else if (info->exit_status != 0) {
        snprintf(status, sizeof(status), "exit status %d", info->exit_status);
    }
    summary.status = *status != '\0' ? status : NULL;
    let_signals_stop_reading(signals);
    pinsight_summary_print(pinsight_run_output_short(output), stderr, &summary);
}
#endif

/* The summary of a job on several hosts is of the host of rank 0. */
static void say_where_all_hosts_are(const char *output) {
    char whole[PATH_MAX], line[2 * PATH_MAX];

    snprintf(whole, sizeof(whole), "%s", output);
    char *slash = strrchr(whole, '/');
    if (slash == NULL || slash == whole) {
        return;
    }
    *slash = '\0';
    char *const all[] = {(char *)pinsight_command_word, "report",
                         (char *)pinsight_run_output_short(whole), NULL};
    pinsight_run_info_quote(all, line, sizeof(line));
    pinsight_say("this is of the host %s; of all hosts, when they have ended: %s", slash + 1, line);
}

void pinsight_ending_finish(struct pinsight_ending *ending, struct pinsight_keeper *keeper,
                            const struct pinsight_signals *signals, const char *output,
                            struct pinsight_run_info *info, int status) {
    if (!ending->recorded) {
        return;
    }
    if (!wait_for_end(ending, keeper, signals)) {
        return;
    }
    if (ending->keeper_died) {
        end_without_keeper(ending, output, info);
    }
    if (ending->unstarted) {
        return;
    }
    note_result(ending, info, status);
    pinsight_run_info_write(output, info);
    say_problems(ending, output, info);
#if PINSIGHT_HAVE_VIEWS
    if (!ending->no_summary) {
        print_summary(ending, signals, output, info);
        if (ending->several_hosts) {
            say_where_all_hosts_are(output);
        }
        return;
    }
#endif
    output = pinsight_run_output_short(output);
    char *const next[] = {(char *)pinsight_command_word, "report", (char *)output, NULL};
    char line[2 * PATH_MAX];
    pinsight_run_info_quote(next, line, sizeof(line));
    pinsight_say("the trace is in %s; next: %s", output, line);
}
