/* The supervisor: a process beside `pinsight run` that owns the LTTng session and the daemon; see
 * supervisor.h. */
#include "session/lttng/supervisor_parts.h"

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

enum {
    TICK_MS = 500,     /* period of looks at processes that cannot be waited for */
    STOPPED_MS = 2000, /* longest time for which a foreign daemon may be stopped */
};

static void send_message(struct pinsight_supervisor *supervisor,
                         struct pinsight_supervisor_message *message) {
    if (supervisor->run < 0) {
        return;
    }
    message->daemon_died = supervisor->daemon_died;
    message->consumer_died = supervisor->consumer_died;
    message->foreign_daemon = !supervisor->daemon.ours;
    snprintf(message->session, sizeof(message->session), "%s", supervisor->session.name);
    snprintf(message->join, sizeof(message->join), "%s",
             supervisor->session.tracked ? supervisor->tracker.name : "");
    if (send(supervisor->run, message, sizeof(*message), MSG_NOSIGNAL) < 0 && errno == EPIPE) {
        close(supervisor->run);
        supervisor->run = -1;
        supervisor->asked_to_end = true;
    }
}

static void send_text(struct pinsight_supervisor *supervisor, enum pinsight_word word,
                      const char *text) {
    struct pinsight_supervisor_message message;

    memset(&message, 0, sizeof(message));
    message.word = word;
    snprintf(message.text, sizeof(message.text), "%s", text);
    send_message(supervisor, &message);
}

void pinsight_supervisor_send_name(struct pinsight_supervisor *supervisor) {
    send_text(supervisor, PINSIGHT_WORD_NAMED, "");
}

static void send_daemon(void *listener, const struct pinsight_proc *process) {
    struct pinsight_supervisor_message message;

    memset(&message, 0, sizeof(message));
    message.word = PINSIGHT_WORD_DAEMON;
    message.daemon = *process;
    send_message(listener, &message);
}

/* Closes the caller's descriptors, so that readers of its pipes do not wait for this process, and
 * leaves the folder, so that it is not busy. */
static void let_go_of_caller(int keep) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3 && null >= 0; fd++) {
        dup2(null, fd);
    }
    pinsight_close_others(&keep, 1);
    if (chdir("/") != 0) {
        /* The process then stays in its folder. */
    }
}

static void init_process(struct pinsight_supervisor *supervisor) {
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t set;

    setsid();
    prctl(PR_SET_NAME, "pinsight-super");
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
    let_go_of_caller(supervisor->run);
    supervisor->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void pinsight_supervisor_reap(struct pinsight_supervisor *supervisor) {
    struct signalfd_siginfo info;

    while (read(supervisor->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGTERM) {
            supervisor->asked_to_end = true;
        }
    }
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid <= 0) {
            return;
        }
        if (supervisor->daemon.child && pid == supervisor->daemon.process.pid) {
            supervisor->daemon_status = status;
        }
        if (pid == supervisor->tracker.pid) {
            /* It was killed. Without it, no further process is recorded. */
            supervisor->tracker.pid = 0;
            if (!supervisor->asked_to_end && !supervisor->daemon_died) {
                pinsight_tracker_start(&supervisor->tracker, supervisor->session.name,
                                       supervisor->session.output);
            }
        }
    }
}

/* Describes the end of a daemon as far as it is known, in parentheses with a leading space. */
static void describe_end(const struct pinsight_supervisor *supervisor, char *text, size_t room) {
    char words[400];
    int status = supervisor->daemon_status;

    text[0] = '\0';
    pinsight_daemon_last_words(&supervisor->daemon, words, sizeof(words));
    if (status >= 0 && WIFSIGNALED(status)) {
        snprintf(text, room, " (signal %d, %s%s%s)", WTERMSIG(status), strsignal(WTERMSIG(status)),
                 words[0] != '\0' ? ": " : "", words);
    } else if (status >= 0) {
        snprintf(text, room, " (exit status %d%s%s)", WEXITSTATUS(status),
                 words[0] != '\0' ? ": " : "", words);
    } else if (pinsight_daemon_process_alive(&supervisor->daemon)) {
        snprintf(text, room, " (process %d takes no programs any more: its socket is gone)",
                 (int)supervisor->daemon.process.pid);
    }
}

static void note_daemon_death(struct pinsight_supervisor *supervisor) {
    char how[500], notice[700];

    supervisor->daemon_died = true;
    pinsight_supervisor_unwatch(supervisor);
    /* Later runs start another daemon, which must not wait for this one. */
    pinsight_locks_close(&supervisor->locks);
    pinsight_tracker_stop(&supervisor->tracker);
    pinsight_supervisor_reap(supervisor);
    describe_end(supervisor, how, sizeof(how));
    snprintf(notice, sizeof(notice),
             "LTTng's session daemon has ended%s; the program continues and nothing more is "
             "recorded. The recording until a second before stays readable",
             how);
    send_text(supervisor, PINSIGHT_WORD_NOTICE, notice);
    /* A daemon that was asked to end makes its consumers write their data, and ends them itself. */
    int64_t until = pinsight_now_ms() + PINSIGHT_DAEMON_PATIENCE_MS;
    while (pinsight_daemon_process_alive(&supervisor->daemon) && pinsight_now_ms() < until) {
        pinsight_supervisor_reap(supervisor);
        pinsight_sleep_ms(10);
    }
    if (!pinsight_daemon_process_alive(&supervisor->daemon)) {
        pinsight_daemon_end_consumers(&supervisor->daemon, PINSIGHT_ORPHAN_PATIENCE_MS);
        supervisor->daemon.child = false;
    }
}

static void note_consumer_death(struct pinsight_supervisor *supervisor) {
    supervisor->consumer_died = true;
    send_text(supervisor, PINSIGHT_WORD_NOTICE,
              "LTTng's consumer daemon has ended; the program continues and nothing more is "
              "recorded. The recording until a second before stays readable");
    pinsight_supervisor_unwatch(supervisor);
    if (supervisor->daemon.child) {
        /* A session daemon starts no second consumer, so it is useless now. */
        pinsight_daemon_stop(&supervisor->daemon, PINSIGHT_DAEMON_PATIENCE_MS);
        supervisor->daemon_died = true;
        pinsight_locks_close(&supervisor->locks);
    } else {
        /* The end of the daemon is still noticed, by the periodic look, when the session is
         * ended. */
        supervisor->daemon.consumer_count = 0;
    }
}

static void receive_run(struct pinsight_supervisor *supervisor) {
    struct pinsight_supervisor_message message;
    ssize_t n = recv(supervisor->run, &message, sizeof(message), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        close(supervisor->run);
        supervisor->run = -1;
    }
    supervisor->asked_to_end = true;
}

static void look_at_daemons(struct pinsight_supervisor *supervisor) {
    if (!supervisor->daemon_died && (!pinsight_daemon_process_alive(&supervisor->daemon) ||
                                     pinsight_daemon_is_ending(&supervisor->daemon))) {
        note_daemon_death(supervisor);
    } else if (!supervisor->daemon_died && !supervisor->consumer_died &&
               !pinsight_daemon_consumers_alive(&supervisor->daemon)) {
        /* A session daemon that ends also ends its consumers. In that case, the daemon's end is
         * reported. */
        pinsight_sleep_ms(20);
        if (!pinsight_daemon_process_alive(&supervisor->daemon)) {
            note_daemon_death(supervisor);
        } else {
            note_consumer_death(supervisor);
        }
    }
}

/* Runs until `pinsight run` reports the end of the command, or is gone itself. */
static void watch(struct pinsight_supervisor *supervisor) {
    while (!supervisor->asked_to_end) {
        struct pollfd wait[2 + PINSIGHT_WATCHES];
        size_t count = 0;
        int limit_ms = -1;

        wait[count++] = (struct pollfd){.fd = supervisor->run, .events = POLLIN};
        wait[count++] = (struct pollfd){.fd = supervisor->signals, .events = POLLIN};
        for (size_t i = 0; i < supervisor->watch_count; i++) {
            if (supervisor->watches[i] >= 0) {
                wait[count++] = (struct pollfd){.fd = supervisor->watches[i], .events = POLLIN};
            } else {
                limit_ms = TICK_MS;
            }
        }
        if (poll(wait, count, limit_ms) < 0 && errno != EINTR) {
            return;
        }
        if (wait[1].revents != 0) {
            pinsight_supervisor_reap(supervisor);
        }
        look_at_daemons(supervisor);
        if (wait[0].revents != 0) {
            receive_run(supervisor);
        }
    }
}

struct ending {
    struct pinsight_supervisor *supervisor;
    struct pinsight_session_result *result;
    bool sent;
};

static void send_ended(void *listener) {
    struct ending *ending = listener;
    struct pinsight_supervisor_message message;

    if (ending->sent) {
        return;
    }
    ending->sent = true;
    memset(&message, 0, sizeof(message));
    message.word = PINSIGHT_WORD_ENDED;
    message.result = *ending->result;
    send_message(ending->supervisor, &message);
    /* Now, because the daemon needs some time to free the session. */
    pinsight_locks_end_turn(&ending->supervisor->locks);
}

static void end_session(struct pinsight_supervisor *supervisor) {
    struct pinsight_session_result result, destroyed;
    struct ending ending = {supervisor, &result, false};
    struct pinsight_counts_kept counted = {0};

    memset(&result, 0, sizeof(result));
    memset(&destroyed, 0, sizeof(destroyed));
    bool answers = supervisor->daemon_died || pinsight_supervisor_begin_end(supervisor);
    look_at_daemons(supervisor);
    pinsight_tracker_stop(&supervisor->tracker);
    /* Before the session stops: events that are recorded later do not count as missing. */
    pinsight_counts_look(&counted, supervisor->tracker.counts);
    if (!supervisor->daemon_died && !answers) {
        result.error = -1;
        snprintf(result.text, sizeof(result.text),
                 "the session daemon gives no answer; end it: kill -KILL %d",
                 (int)supervisor->daemon.process.pid);
    } else if (!supervisor->daemon_died &&
               !pinsight_daemon_wait_unstopped(&supervisor->daemon, STOPPED_MS)) {
        result.error = -1;
        snprintf(result.text, sizeof(result.text),
                 "LTTng's session daemon (process %d) or its consumer is stopped; let it go on",
                 (int)supervisor->daemon.process.pid);
    } else if (!supervisor->daemon_died) {
        pinsight_session_stop(&supervisor->session, &result);
        look_at_daemons(supervisor);
    }
    pinsight_counts_write(&counted, supervisor->tracker.counts, supervisor->session.output);
    /* A daemon that does not answer would block again. */
    if (!supervisor->daemon_died && result.error >= 0) {
        pinsight_session_destroy(&supervisor->session, send_ended, &ending, &destroyed);
    }
    if (result.error < 0 || destroyed.error < 0) {
        pinsight_supervisor_note_silence(supervisor);
    }
    send_ended(&ending);
}

/* Removes the trace, if `pinsight run` was killed before its command started. */
static void remove_trace(const struct pinsight_supervisor *supervisor) {
    const char *output = supervisor->session.output;

    pinsight_lttng_discard(output);
    if (supervisor->config.wanted.made_output) {
        rmdir(output);
    }
}

void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config) {
    struct pinsight_supervisor supervisor;
    char why[1400];

    memset(&supervisor, 0, sizeof(supervisor));
    supervisor.config = *config;
    supervisor.session = (struct pinsight_session){.registry = config->wanted.registry,
                                                   .lossless = config->wanted.lossless,
                                                   .tracked = true,
                                                   .buffer_size = config->wanted.buffer_size};
    strcpy(supervisor.session.output, config->wanted.output);
    supervisor.run = fd;
    supervisor.daemon.errors = -1;
    supervisor.daemon.libdir = supervisor.config.wanted.libdir;
    supervisor.daemon_status = -1;
    supervisor.daemon.born = send_daemon;
    supervisor.daemon.listener = &supervisor;
    init_process(&supervisor);
    supervisor.tracker.counts = pinsight_counts_make();
    if (!pinsight_supervisor_set_up(&supervisor, why, sizeof(why))) {
        send_text(&supervisor, PINSIGHT_WORD_FAILED, why);
        if (supervisor.run < 0) {
            remove_trace(&supervisor);
        }
    } else {
        pinsight_node_group_open(&supervisor.config.group, supervisor.session.name,
                                 supervisor.session.tracked ? supervisor.tracker.name : "");
        send_text(&supervisor, PINSIGHT_WORD_READY, "");
        bool in_vain = supervisor.run < 0;
        watch(&supervisor);
        pinsight_node_group_wait(&supervisor.config.group, NULL, NULL);
        end_session(&supervisor);
        if (in_vain) {
            remove_trace(&supervisor);
        }
    }
    if (supervisor.run >= 0) {
        close(supervisor.run);
    }
    pinsight_locks_unuse(&supervisor.locks);
    pinsight_supervisor_retire(&supervisor);
    pinsight_locks_close(&supervisor.locks);
    _exit(0);
}
