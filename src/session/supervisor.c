/* The keeper: a process beside `pinsight run` that owns the LTTng session and the daemon. */
#include "session/supervisor.h"

#include <dirent.h>
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

#include "session/daemon.h"
#include "session/lock.h"
#include "session/prime.h"
#include "session/process.h"

enum {
    TICK_MS = 500,          /* how often processes are looked at that cannot be waited for */
    LINGER_MS = 1000,       /* a daemon of ours waits so long for another run */
    DAEMON_PATIENCE_MS = 2500,
    ORPHAN_PATIENCE_MS = 2000,
    DYING_DAEMON_MS = 3000,
    WATCHES = 1 + PINSIGHT_CONSUMERS_MAX,
};

struct keeper {
    struct pinsight_supervisor_config config;
    int run;     /* socket to `pinsight run`, -1 once it is gone */
    int signals; /* signalfd */
    struct pinsight_daemon daemon;
    struct pinsight_locks locks;
    struct pinsight_joiner joiner;
    int watches[WATCHES]; /* pidfds of the daemon and its consumers, -1 */
    size_t watch_count;
    bool described;
    bool daemon_died;
    bool consumer_died;
    bool asked_to_end;
};

static void tell(struct keeper *keeper, struct pinsight_message *message) {
    if (keeper->run < 0) {
        return;
    }
    message->daemon_died = keeper->daemon_died;
    message->consumer_died = keeper->consumer_died;
    message->described = keeper->described;
    message->foreign_daemon = !keeper->daemon.ours;
    snprintf(message->session, sizeof(message->session), "%s", keeper->config.session.name);
    snprintf(message->join, sizeof(message->join), "%s",
             keeper->config.session.tracked ? keeper->joiner.name : "");
    if (send(keeper->run, message, sizeof(*message), MSG_NOSIGNAL) < 0 && errno == EPIPE) {
        close(keeper->run);
        keeper->run = -1;
        keeper->asked_to_end = true;
    }
}

static void tell_text(struct keeper *keeper, enum pinsight_word word, const char *text) {
    struct pinsight_message message;

    memset(&message, 0, sizeof(message));
    message.word = word;
    snprintf(message.text, sizeof(message.text), "%s", text);
    tell(keeper, &message);
}

/* Whoever reads our caller's pipes must not wait for us, and no folder be held busy. */
static void let_go_of_caller(int keep) {
    DIR *folder = opendir("/proc/self/fd");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3 && null >= 0; fd++) {
        dup2(null, fd);
    }
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        int fd = atoi(entry->d_name);
        if (fd > 2 && fd != keep && fd != dirfd(folder)) {
            close(fd);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (chdir("/") != 0) {
        /* Then we stay where we are. */
    }
}

static void init_process(struct keeper *keeper) {
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
    let_go_of_caller(keeper->run);
    keeper->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void watch_daemon(struct keeper *keeper) {
    pinsight_daemon_find_consumers(&keeper->daemon);
    keeper->watches[0] = keeper->daemon.process.pid != 0
                             ? pinsight_process_watch(&keeper->daemon.process)
                             : -1;
    for (size_t i = 0; i < keeper->daemon.consumer_count; i++) {
        keeper->watches[i + 1] = pinsight_process_watch(&keeper->daemon.consumers[i]);
    }
    keeper->watch_count = keeper->daemon.consumer_count + 1;
}

static void stop_watching(struct keeper *keeper) {
    for (size_t i = 0; i < keeper->watch_count; i++) {
        if (keeper->watches[i] >= 0) {
            close(keeper->watches[i]);
        }
    }
    keeper->watch_count = 0;
}

/* A daemon may be told to end while we set up our session in it. */
static bool is_daemon_ending(const struct keeper *keeper) {
    int64_t until = pinsight_now_ms() + DYING_DAEMON_MS;

    if (pinsight_daemon_process_alive(&keeper->daemon) &&
        !pinsight_daemon_is_ending(&keeper->daemon)) {
        return false;
    }
    while (pinsight_daemon_process_alive(&keeper->daemon) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(10);
    }
    return true;
}

static bool set_up_once(struct keeper *keeper, char *why, size_t room) {
    struct pinsight_session *session = &keeper->config.session;
    struct pinsight_session_result result;

    pinsight_locks_init(&keeper->locks);
    if (!pinsight_daemon_get(&keeper->daemon, &keeper->locks, why, room)) {
        return false;
    }
    pinsight_session_make_name(session->name, keeper->config.program, getpid());
    pinsight_session_create(session, &result);
    if (result.error != 0) {
        snprintf(why, room, "%s; %s", result.text,
                 keeper->daemon.child ? "see `pinsight run --help` for smaller buffers"
                                      : "restart the session daemon, or stop it so that "
                                        "`pinsight run` starts one");
        return false;
    }
    session->tracked =
        session->tracked && pinsight_joiner_start(&keeper->joiner, session->name) == 0;
    keeper->described = pinsight_prime(session, keeper->config.libdir,
                                       session->tracked ? keeper->joiner.name : NULL);
    return true;
}

static bool set_up(struct keeper *keeper, char *why, size_t room) {
    bool tracked = keeper->config.session.tracked;
    bool done = set_up_once(keeper, why, room);

    if (keeper->daemon.process.pid != 0 && !keeper->daemon.child && is_daemon_ending(keeper)) {
        pinsight_joiner_stop(&keeper->joiner);
        pinsight_locks_close(&keeper->locks);
        keeper->config.session.tracked = tracked;
        done = set_up_once(keeper, why, room);
    }
    if (done) {
        watch_daemon(keeper);
    }
    return done;
}

static void reap(struct keeper *keeper) {
    struct signalfd_siginfo info;

    while (read(keeper->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGTERM) {
            keeper->asked_to_end = true;
        }
    }
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid <= 0) {
            return;
        }
        if (pid == keeper->joiner.pid) {
            /* Somebody killed it; without it no further process is recorded. */
            keeper->joiner.pid = 0;
            if (!keeper->asked_to_end && !keeper->daemon_died) {
                pinsight_joiner_start(&keeper->joiner, keeper->config.session.name);
            }
        }
    }
}

static void note_daemon_death(struct keeper *keeper) {
    keeper->daemon_died = true;
    stop_watching(keeper);
    /* Whoever comes now starts another daemon, which must not wait for us. */
    pinsight_locks_close(&keeper->locks);
    pinsight_joiner_stop(&keeper->joiner);
    tell_text(keeper, PINSIGHT_WORD_NOTICE,
              "LTTng's session daemon has ended; the program goes on and nothing more is recorded. "
              "What was recorded until a second before stays readable");
    /* One that was told to end has its consumers write what they have, and ends them itself. */
    int64_t until = pinsight_now_ms() + DYING_DAEMON_MS;
    while (pinsight_daemon_process_alive(&keeper->daemon) && pinsight_now_ms() < until) {
        reap(keeper);
        pinsight_sleep_ms(10);
    }
    if (!pinsight_daemon_process_alive(&keeper->daemon)) {
        pinsight_daemon_end_consumers(&keeper->daemon, ORPHAN_PATIENCE_MS);
        keeper->daemon.child = false;
    }
}

static void note_consumer_death(struct keeper *keeper) {
    keeper->consumer_died = true;
    tell_text(keeper, PINSIGHT_WORD_NOTICE,
              "LTTng's consumer daemon has ended; the program goes on and nothing more is recorded. "
              "What was recorded until a second before stays readable");
    stop_watching(keeper);
    if (keeper->daemon.child) {
        /* A session daemon starts no second consumer: it is of no use to anybody any more. */
        pinsight_daemon_stop(&keeper->daemon, DAEMON_PATIENCE_MS);
        keeper->daemon_died = true;
        pinsight_locks_close(&keeper->locks);
    } else {
        /* Still watched for its own end: by the tick, when the session is ended. */
        keeper->daemon.consumer_count = 0;
    }
}

static void hear_run(struct keeper *keeper) {
    struct pinsight_message message;
    ssize_t n = recv(keeper->run, &message, sizeof(message), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        close(keeper->run);
        keeper->run = -1;
    }
    keeper->asked_to_end = true;
}

static void look_at_daemons(struct keeper *keeper) {
    if (!keeper->daemon_died && (!pinsight_daemon_process_alive(&keeper->daemon) ||
                                 pinsight_daemon_is_ending(&keeper->daemon))) {
        note_daemon_death(keeper);
    } else if (!keeper->daemon_died && !keeper->consumer_died &&
               !pinsight_daemon_consumers_alive(&keeper->daemon)) {
        /* A session daemon that ends takes its consumers along: the daemon's death counts. */
        pinsight_sleep_ms(20);
        if (!pinsight_daemon_process_alive(&keeper->daemon)) {
            note_daemon_death(keeper);
        } else {
            note_consumer_death(keeper);
        }
    }
}

/* Until `pinsight run` says that the command has ended, or is gone itself. */
static void watch(struct keeper *keeper) {
    while (!keeper->asked_to_end) {
        struct pollfd wait[2 + WATCHES];
        size_t count = 0;
        int limit_ms = -1;

        wait[count++] = (struct pollfd){.fd = keeper->run, .events = POLLIN};
        wait[count++] = (struct pollfd){.fd = keeper->signals, .events = POLLIN};
        for (size_t i = 0; i < keeper->watch_count; i++) {
            if (keeper->watches[i] >= 0) {
                wait[count++] = (struct pollfd){.fd = keeper->watches[i], .events = POLLIN};
            } else {
                limit_ms = TICK_MS;
            }
        }
        if (poll(wait, count, limit_ms) < 0 && errno != EINTR) {
            return;
        }
        if (wait[1].revents != 0) {
            reap(keeper);
        }
        look_at_daemons(keeper);
        if (wait[0].revents != 0) {
            hear_run(keeper);
        }
    }
}

struct ending {
    struct keeper *keeper;
    struct pinsight_session_result *result;
    bool told;
};

static void tell_ended(void *listener) {
    struct ending *ending = listener;
    struct pinsight_message message;

    if (ending->told) {
        return;
    }
    ending->told = true;
    memset(&message, 0, sizeof(message));
    message.word = PINSIGHT_WORD_ENDED;
    message.result = *ending->result;
    tell(ending->keeper, &message);
}

static void end_session(struct keeper *keeper) {
    struct pinsight_session_result result, destroyed;
    struct ending ending = {keeper, &result, false};

    memset(&result, 0, sizeof(result));
    look_at_daemons(keeper);
    pinsight_joiner_stop(&keeper->joiner);
    if (!keeper->daemon_died) {
        pinsight_session_stop(&keeper->config.session, &result);
        look_at_daemons(keeper);
    }
    /* A daemon that does not answer would hold us again. */
    if (!keeper->daemon_died && result.error >= 0) {
        pinsight_session_destroy(&keeper->config.session, tell_ended, &ending, &destroyed);
    }
    tell_ended(&ending);
}

/* Waits until nobody uses the daemon that we started, and ends it. */
static void retire_daemon(struct keeper *keeper) {
    int64_t alone_since = 0;

    while (keeper->daemon.child) {
        reap(keeper);
        if (!pinsight_daemon_process_alive(&keeper->daemon)) {
            pinsight_daemon_end_consumers(&keeper->daemon, ORPHAN_PATIENCE_MS);
            break;
        }
        if (pinsight_locks_enter(&keeper->locks, 0)) {
            bool alone = pinsight_locks_alone(&keeper->locks);
            int64_t now = pinsight_now_ms();
            alone_since = !alone ? 0 : alone_since == 0 ? now : alone_since;
            /* Somebody else may have made a session in it by hand: it is not ours to end then. */
            if (alone && now - alone_since >= LINGER_MS && pinsight_session_count_foreign() <= 0) {
                pinsight_daemon_stop(&keeper->daemon, DAEMON_PATIENCE_MS);
                pinsight_locks_remove(&keeper->locks);
            }
            pinsight_locks_unuse(&keeper->locks);
            pinsight_locks_leave(&keeper->locks);
        }
        pinsight_sleep_ms(50);
    }
    reap(keeper);
}

void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config) {
    struct keeper keeper;
    char why[1400];

    memset(&keeper, 0, sizeof(keeper));
    keeper.config = *config;
    keeper.run = fd;
    keeper.daemon.errors = -1;
    init_process(&keeper);
    if (!set_up(&keeper, why, sizeof(why))) {
        tell_text(&keeper, PINSIGHT_WORD_FAILED, why);
    } else {
        pinsight_team_open(&keeper.config.team, keeper.config.session.name,
                           keeper.config.session.tracked ? keeper.joiner.name : "");
        tell_text(&keeper, PINSIGHT_WORD_READY, "");
        watch(&keeper);
        pinsight_team_wait(&keeper.config.team);
        end_session(&keeper);
    }
    if (keeper.run >= 0) {
        close(keeper.run);
    }
    pinsight_locks_unuse(&keeper.locks);
    retire_daemon(&keeper);
    pinsight_locks_close(&keeper.locks);
    _exit(0);
}
