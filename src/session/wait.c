/* Waits for a command; see wait.h. */
#include "session/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/spawn.h"

enum { MONITOR_MS = 200, LOOK_MS = 20 };

struct waiter {
    pid_t pid;
    const struct pinsight_signals *signals;
    int monitor;
    int status;
    int told_to_end;
    bool ended;
    pid_t watcher; /* the process that watches this one; 0: none */
};

/* Returns whether the kernel sent the signal to the whole foreground process group. */
static bool is_from_terminal(const struct signalfd_siginfo *info) {
    switch (info->ssi_signo) {
    case SIGINT:
    case SIGQUIT:
    case SIGTSTP:
    case SIGHUP:
    case SIGWINCH:
        return info->ssi_code == SI_KERNEL;
    default:
        return false;
    }
}

/* Returns whether the signal was sent to this process group. The child, if it is in the group, has
 * got it then. */
static bool is_for_group(const struct waiter *waiter, int number) {
    unsigned char asked = (unsigned char)number, answer = 0;

    if (waiter->monitor < 0) {
        return false;
    }
    struct pollfd wait = {.fd = waiter->monitor, .events = POLLIN};
    return send(waiter->monitor, &asked, 1, MSG_NOSIGNAL) == 1 && poll(&wait, 1, MONITOR_MS) == 1 &&
           recv(waiter->monitor, &answer, 1, MSG_DONTWAIT) == 1 && answer != 0 &&
           getpgid(waiter->pid) == getpgrp();
}

/*
 * Starts a process that watches this one while it is stopped. The signal that continues the command
 * may not reach this process: `kill -CONT` affects only the process that it names. The watcher is
 * out of reach of stops for the group, and looks at both until it is killed. It is a child of this
 * process alone.
 */
static pid_t watch_over_us(pid_t child) {
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    pid_t us = getpid(), watcher = pinsight_fork(SIGKILL);

    if (watcher != 0) {
        return watcher;
    }
    prctl(PR_SET_NAME, "pinsight-signal");
    setsid();
    pinsight_close_others(NULL, 0);
    for (;;) {
        char state = pinsight_process_state(child);
        nanosleep(&pause, NULL);
        if (state != 'T' && state != 't' && pinsight_process_state(us) == 'T') {
            kill(us, SIGCONT);
        }
    }
}

static void stop_like_child(struct waiter *waiter, int number) {
    pid_t watcher = watch_over_us(waiter->pid);
    sigset_t set;

    /* Stops by the default action. An ignored signal stops no process. */
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (watcher > 0) {
        kill(watcher, SIGKILL);
        pinsight_reap(watcher);
        waiter->watcher = watcher;
    }
}

static void look_at_child(struct waiter *waiter) {
    for (;;) {
        int status = 0;
        pid_t pid = waitpid(waiter->pid, &status, WNOHANG | WUNTRACED);
        if (pid < 0 && errno == EINTR) {
            continue;
        }
        if (pid != waiter->pid) {
            return;
        }
        if (!WIFSTOPPED(status)) {
            waiter->status = status;
            waiter->ended = true;
            return;
        }
        stop_like_child(waiter, WSTOPSIG(status));
    }
}

static void pass_on(struct waiter *waiter, const struct signalfd_siginfo *info) {
    int number = (int)info->ssi_signo;
    if (number == SIGCONT && waiter->watcher && (pid_t)info->ssi_pid == waiter->watcher) {
        return; /* the command continues */
    }
    /* Asked in any case, because a question resets the monitor's note. */
    bool has_had_it = is_for_group(waiter, number) || is_from_terminal(info);

    if (!has_had_it) {
        kill(waiter->pid, number);
    }
}

static bool is_deadly(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static void read_signals(struct waiter *waiter) {
    struct signalfd_siginfo info;

    while (read(waiter->signals->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGCHLD) {
            look_at_child(waiter);
        } else if (!waiter->ended) {
            if (is_deadly((int)info.ssi_signo)) {
                waiter->told_to_end = (int)info.ssi_signo;
            }
            pass_on(waiter, &info);
        }
    }
}

int pinsight_wait_for(pid_t pid, const struct pinsight_signals *signals, int monitor, int other,
                      bool (*on_other)(void *data), void *data, int *told_to_end) {
    struct waiter waiter = {.pid = pid, .signals = signals, .monitor = monitor};

    look_at_child(&waiter);
    while (!waiter.ended) {
        struct pollfd wait[2] = {{.fd = signals->fd, .events = POLLIN},
                                 {.fd = other, .events = POLLIN}};
        if (poll(wait, other >= 0 ? 2 : 1, -1) < 0 && errno != EINTR) {
            break;
        }
        read_signals(&waiter);
        if (other >= 0 && wait[1].revents != 0 && !waiter.ended && !on_other(data)) {
            other = -1;
        }
    }
    if (!waiter.ended) {
        while (waitpid(pid, &waiter.status, 0) < 0 && errno == EINTR) {
        }
    }
    *told_to_end = waiter.told_to_end;
    return waiter.status;
}
