/* The keeper: a process beside `pinsight run` that owns the LTTng session and the daemon. */
#include "session/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "session/counts.h"
#include "session/keeper.h"

enum {
    TICK_MS = 500,     /* how often processes are looked at that cannot be waited for */
    STOPPED_MS = 2000, /* how long somebody may hold a daemon that is not ours */
};

static void tell(struct pinsight_keeping *keeping, struct pinsight_keeper_message *message) {
    if (keeping->run < 0) {
        return;
    }
    message->daemon_died = keeping->daemon_died;
    message->consumer_died = keeping->consumer_died;
    message->foreign_daemon = !keeping->daemon.ours;
    snprintf(message->session, sizeof(message->session), "%s", keeping->config.session.name);
    snprintf(message->join, sizeof(message->join), "%s",
             keeping->config.session.tracked ? keeping->joiner.name : "");
    if (send(keeping->run, message, sizeof(*message), MSG_NOSIGNAL) < 0 && errno == EPIPE) {
        close(keeping->run);
        keeping->run = -1;
        keeping->asked_to_end = true;
    }
}

static void tell_text(struct pinsight_keeping *keeping, enum pinsight_word word, const char *text) {
    struct pinsight_keeper_message message;

    memset(&message, 0, sizeof(message));
    message.word = word;
    snprintf(message.text, sizeof(message.text), "%s", text);
    tell(keeping, &message);
}

void pinsight_keeping_tell_name(struct pinsight_keeping *keeping) {
    tell_text(keeping, PINSIGHT_WORD_NAMED, "");
}

static void tell_of_daemon(void *listener, const struct pinsight_proc *process) {
    struct pinsight_keeper_message message;

    memset(&message, 0, sizeof(message));
    message.word = PINSIGHT_WORD_DAEMON;
    message.daemon = *process;
    tell(listener, &message);
}

/* Whoever reads our caller's pipes must not wait for us, and no folder be held busy. */
static void let_go_of_caller(int keep) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3 && null >= 0; fd++) {
        dup2(null, fd);
    }
    pinsight_close_others(&keep, 1);
    if (chdir("/") != 0) {
        /* Then we stay where we are. */
    }
}

static void init_process(struct pinsight_keeping *keeping) {
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t set;

    setsid();
    prctl(PR_SET_NAME, "pinsight-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++) {
        signal(ignored[i], SIG_IGN);
    }
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_SETMASK, &set, NULL);
    let_go_of_caller(keeping->run);
    keeping->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void pinsight_keeping_reap(struct pinsight_keeping *keeping) {
    struct signalfd_siginfo info;

    while (read(keeping->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGTERM) {
            keeping->asked_to_end = true;
        }
    }
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid <= 0) {
            return;
        }
        if (keeping->daemon.child && pid == keeping->daemon.process.pid) {
            keeping->daemon_status = status;
        }
        if (pid == keeping->joiner.pid) {
            /* Somebody killed it; without it no further process is recorded. */
            keeping->joiner.pid = 0;
            if (!keeping->asked_to_end && !keeping->daemon_died) {
                pinsight_joiner_start(&keeping->joiner, keeping->config.session.name,
                                      keeping->config.session.output);
            }
        }
    }
}

/* How a daemon came to its end, as far as it is known: in parentheses, with a space before. */
static void describe_end(const struct pinsight_keeping *keeping, char *text, size_t room) {
    char words[400];
    int status = keeping->daemon_status;

    text[0] = '\0';
    pinsight_daemon_last_words(&keeping->daemon, words, sizeof(words));
    if (status >= 0 && WIFSIGNALED(status)) {
        snprintf(text, room, " (signal %d, %s%s%s)", WTERMSIG(status), strsignal(WTERMSIG(status)),
                 words[0] != '\0' ? ": " : "", words);
    } else if (status >= 0) {
        snprintf(text, room, " (exit status %d%s%s)", WEXITSTATUS(status),
                 words[0] != '\0' ? ": " : "", words);
    } else if (pinsight_daemon_process_alive(&keeping->daemon)) {
        snprintf(text, room, " (process %d takes no programs any more: its socket is gone)",
                 (int)keeping->daemon.process.pid);
    }
}

static void note_daemon_death(struct pinsight_keeping *keeping) {
    char how[500], notice[700];

    keeping->daemon_died = true;
    pinsight_keeping_unwatch(keeping);
    /* Whoever comes now starts another daemon, which must not wait for us. */
    pinsight_locks_close(&keeping->locks);
    pinsight_joiner_stop(&keeping->joiner);
    pinsight_keeping_reap(keeping);
    describe_end(keeping, how, sizeof(how));
    snprintf(notice, sizeof(notice),
             "LTTng's session daemon has ended%s; the program goes on and nothing more is "
             "recorded. What was recorded until a second before stays readable",
             how);
    tell_text(keeping, PINSIGHT_WORD_NOTICE, notice);
    /* One that was told to end has its consumers write what they have, and ends them itself. */
    int64_t until = pinsight_now_ms() + PINSIGHT_DAEMON_PATIENCE_MS;
    while (pinsight_daemon_process_alive(&keeping->daemon) && pinsight_now_ms() < until) {
        pinsight_keeping_reap(keeping);
        pinsight_sleep_ms(10);
    }
    if (!pinsight_daemon_process_alive(&keeping->daemon)) {
        pinsight_daemon_end_consumers(&keeping->daemon, PINSIGHT_ORPHAN_PATIENCE_MS);
        keeping->daemon.child = false;
    }
}

static void note_consumer_death(struct pinsight_keeping *keeping) {
    keeping->consumer_died = true;
    tell_text(
        keeping, PINSIGHT_WORD_NOTICE,
        "LTTng's consumer daemon has ended; the program goes on and nothing more is recorded. "
        "What was recorded until a second before stays readable");
    pinsight_keeping_unwatch(keeping);
    if (keeping->daemon.child) {
        /* A session daemon starts no second consumer: it is of no use to anybody any more. */
        pinsight_daemon_stop(&keeping->daemon, PINSIGHT_DAEMON_PATIENCE_MS);
        keeping->daemon_died = true;
        pinsight_locks_close(&keeping->locks);
    } else {
        /* Still watched for its own end: by the tick, when the session is ended. */
        keeping->daemon.consumer_count = 0;
    }
}

static void hear_run(struct pinsight_keeping *keeping) {
    struct pinsight_keeper_message message;
    ssize_t n = recv(keeping->run, &message, sizeof(message), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        close(keeping->run);
        keeping->run = -1;
    }
    keeping->asked_to_end = true;
}

static void look_at_daemons(struct pinsight_keeping *keeping) {
    if (!keeping->daemon_died && (!pinsight_daemon_process_alive(&keeping->daemon) ||
                                  pinsight_daemon_is_ending(&keeping->daemon))) {
        note_daemon_death(keeping);
    } else if (!keeping->daemon_died && !keeping->consumer_died &&
               !pinsight_daemon_consumers_alive(&keeping->daemon)) {
        /* A session daemon that ends takes its consumers along: the daemon's death counts. */
        pinsight_sleep_ms(20);
        if (!pinsight_daemon_process_alive(&keeping->daemon)) {
            note_daemon_death(keeping);
        } else {
            note_consumer_death(keeping);
        }
    }
}

/* Until `pinsight run` says that the command has ended, or is gone itself. */
static void watch(struct pinsight_keeping *keeping) {
    while (!keeping->asked_to_end) {
        struct pollfd wait[2 + PINSIGHT_WATCHES];
        size_t count = 0;
        int limit_ms = -1;

        wait[count++] = (struct pollfd){.fd = keeping->run, .events = POLLIN};
        wait[count++] = (struct pollfd){.fd = keeping->signals, .events = POLLIN};
        for (size_t i = 0; i < keeping->watch_count; i++) {
            if (keeping->watches[i] >= 0) {
                wait[count++] = (struct pollfd){.fd = keeping->watches[i], .events = POLLIN};
            } else {
                limit_ms = TICK_MS;
            }
        }
        if (poll(wait, count, limit_ms) < 0 && errno != EINTR) {
            return;
        }
        if (wait[1].revents != 0) {
            pinsight_keeping_reap(keeping);
        }
        look_at_daemons(keeping);
        if (wait[0].revents != 0) {
            hear_run(keeping);
        }
    }
}

struct ending {
    struct pinsight_keeping *keeping;
    struct pinsight_session_result *result;
    bool told;
};

static void tell_ended(void *listener) {
    struct ending *ending = listener;
    struct pinsight_keeper_message message;

    if (ending->told) {
        return;
    }
    ending->told = true;
    memset(&message, 0, sizeof(message));
    message.word = PINSIGHT_WORD_ENDED;
    message.result = *ending->result;
    tell(ending->keeping, &message);
    pinsight_locks_end_turn(&ending->keeping->locks); /* what the daemon still frees takes time */
}

static void end_session(struct pinsight_keeping *keeping) {
    struct pinsight_session_result result, destroyed;
    struct ending ending = {keeping, &result, false};
    struct pinsight_counts_kept counted = {0};

    memset(&result, 0, sizeof(result));
    memset(&destroyed, 0, sizeof(destroyed));
    bool answers = keeping->daemon_died || pinsight_keeping_begin_end(keeping);
    look_at_daemons(keeping);
    pinsight_joiner_stop(&keeping->joiner);
    /* Before the session stops: what is recorded after this does not count as missing. */
    pinsight_counts_look(&counted, keeping->joiner.counts);
    if (!keeping->daemon_died && !answers) {
        result.error = -1;
        snprintf(result.text, sizeof(result.text),
                 "the session daemon gives no answer; end it: kill -KILL %d",
                 (int)keeping->daemon.process.pid);
    } else if (!keeping->daemon_died &&
               !pinsight_daemon_wait_unstopped(&keeping->daemon, STOPPED_MS)) {
        result.error = -1;
        snprintf(result.text, sizeof(result.text),
                 "LTTng's session daemon (process %d) or its consumer is stopped; let it go on",
                 (int)keeping->daemon.process.pid);
    } else if (!keeping->daemon_died) {
        pinsight_session_stop(&keeping->config.session, &result);
        look_at_daemons(keeping);
    }
    pinsight_counts_write(&counted, keeping->joiner.counts, keeping->config.session.output);
    /* A daemon that does not answer would hold us again. */
    if (!keeping->daemon_died && result.error >= 0) {
        pinsight_session_destroy(&keeping->config.session, tell_ended, &ending, &destroyed);
    }
    if (result.error < 0 || destroyed.error < 0) {
        pinsight_keeping_note_silence(keeping);
    }
    tell_ended(&ending);
}

/* `pinsight run` was killed before its command started: there is nothing in the trace. */
static void remove_trace(const struct pinsight_keeping *keeping) {
    const char *output = keeping->config.session.output;
    char folder[PATH_MAX];

    if (pinsight_path_join(folder, output, "ust")) {
        pinsight_path_remove(folder);
    }
    pinsight_counts_remove(output);
    if (keeping->config.made_output) {
        rmdir(output);
    }
}

void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config) {
    struct pinsight_keeping keeping;
    char why[1400];

    memset(&keeping, 0, sizeof(keeping));
    keeping.config = *config;
    keeping.run = fd;
    keeping.daemon.errors = -1;
    keeping.daemon.libdir = keeping.config.libdir;
    keeping.daemon_status = -1;
    keeping.daemon.born = tell_of_daemon;
    keeping.daemon.listener = &keeping;
    init_process(&keeping);
    keeping.joiner.counts = pinsight_counts_make();
    if (!pinsight_keeping_set_up(&keeping, why, sizeof(why))) {
        tell_text(&keeping, PINSIGHT_WORD_FAILED, why);
        if (keeping.run < 0) {
            remove_trace(&keeping);
        }
    } else {
        pinsight_team_open(&keeping.config.team, keeping.config.session.name,
                           keeping.config.session.tracked ? keeping.joiner.name : "");
        tell_text(&keeping, PINSIGHT_WORD_READY, "");
        bool in_vain = keeping.run < 0;
        watch(&keeping);
        pinsight_team_wait(&keeping.config.team);
        end_session(&keeping);
        if (in_vain) {
            remove_trace(&keeping);
        }
    }
    if (keeping.run >= 0) {
        close(keeping.run);
    }
    pinsight_locks_unuse(&keeping.locks);
    pinsight_keeping_retire(&keeping);
    pinsight_locks_close(&keeping.locks);
    _exit(0);
}
