/*
 * Signals that arrive while a process forks.
 *
 * A forked child has work to do before it continues: the recorder may start anew in it and
 * register, inside fork(), which takes some 10 to 50 ms. Without PInsight, a signal in that time
 * would find the child in its own code. With PInsight, it would find the child in fork(), and
 * CPython forgets all signals from before its own work for the child (Modules/signalmodule.c,
 * _PySignal_AfterFork). Therefore signals wait in the kernel from the moment before the fork until
 * the child continues. Signals that arrived meanwhile are sent to the child again, delayed by the
 * child's own delay. The signals then find the child at the same place as without PInsight, in its
 * own code or in another program.
 *
 * A nested call blocks only signals that are not blocked yet.
 *
 * This file is header only, so that the preloaded shim and the domains share it without sharing an
 * object. All functions are as safe in a signal handler as fork() is.
 */
#ifndef PINSIGHT_CORE_FORK_SIGNALS_H
#define PINSIGHT_CORE_FORK_SIGNALS_H

#include "base/clock.h"
#include "tracer/core/held_signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* The longest delay of signals, in ns. */
enum { PINSIGHT_FORK_SIGNALS_DELAY_MAX_NS = 99999999 };
/* The most signals that are sent again. Further signals arrive at once. */
enum { PINSIGHT_FORK_SIGNALS_MAX = 32 };

/* The signals that one thread has blocked for a fork. A child has its parent's copy. */
struct pinsight_fork_signals {
    sigset_t blocked; /* those that were not blocked before */
    uint64_t since_ns;
    bool are_blocked;
};

/* Blocks signals as pinsight_signals_hold() does. The thread and the child that it forks must
 * unblock them soon. A second call in between does nothing. */
static inline void pinsight_fork_signals_block(struct pinsight_fork_signals *signals) {
    if (signals->are_blocked || !pinsight_signals_hold(&signals->blocked))
        return;
    signals->since_ns = pinsight_now_ns();
    signals->are_blocked = true;
}

/* Unblocks the signals that pinsight_fork_signals_block() blocked in this thread, in the parent.
 * Does nothing if none are blocked. Keeps errno. */
static inline void pinsight_fork_signals_unblock(struct pinsight_fork_signals *signals) {
    if (!signals->are_blocked)
        return;
    signals->are_blocked = false;
    pinsight_signals_release(&signals->blocked);
}

/* Takes the pending signals, except those whose order decides whether a process stops or continues.
 * Returns their number. */
static inline int pinsight_fork_signals_take(const struct pinsight_fork_signals *signals,
                                             siginfo_t *taken) {
    const struct timespec now = {0};
    sigset_t wanted = signals->blocked;
    int count = 0;
    sigdelset(&wanted, SIGTSTP);
    sigdelset(&wanted, SIGTTIN);
    sigdelset(&wanted, SIGTTOU);
    sigdelset(&wanted, SIGCONT);
    while (count < PINSIGHT_FORK_SIGNALS_MAX && sigtimedwait(&wanted, &taken[count], &now) > 0)
        count++;
    return count;
}

/*
 * Sends the signals, in a process of its own. A thread would end if the child executed another
 * program meanwhile. The process is a copy of one with threads, so it calls nothing that takes a
 * lock. It keeps no descriptor, so that no pipe stays open for it.
 */
static inline _Noreturn void pinsight_fork_signals_send(pid_t child, const siginfo_t *taken,
                                                        int count, uint64_t delay_ns) {
    const struct timespec delay = {.tv_nsec = (long)delay_ns};
    if (syscall(SYS_close_range, 0, ~0u, 0) != 0)
        for (int fd = 0; fd < 1024; fd++)
            syscall(SYS_close, fd);
    nanosleep(&delay, NULL);
    /* While the child lives, it is the parent, and its number is not reused. */
    for (int i = 0; i < count && getppid() == child; i++) {
        siginfo_t info = taken[i];
        if (info.si_code >= 0 || syscall(SYS_rt_sigqueueinfo, child, info.si_signo, &info) != 0)
            kill(child, info.si_signo);
    }
    for (;;)
        syscall(SYS_exit_group, 0);
}

/* Makes the sending process. It has no exit signal, so that no wait() of the program reports it
 * (wait(2), __WCLONE), and it disappears with the child. Returns false if the process cannot be
 * made. */
static inline bool pinsight_fork_signals_sender(const siginfo_t *taken, int count,
                                                uint64_t delay_ns) {
    sigset_t all, before;
    pid_t child = getpid();
    sigfillset(&all); /* no handler of the program must run in the new process */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    long sender = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (sender == 0)
        pinsight_fork_signals_send(child, taken, count, delay_ns);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return sender > 0;
}

/* Unblocks the signals in the child, like pinsight_fork_signals_unblock(), and has those that
 * arrived meanwhile sent later. */
static inline void pinsight_fork_signals_unblock_child(struct pinsight_fork_signals *signals) {
    siginfo_t taken[PINSIGHT_FORK_SIGNALS_MAX];
    int kept = errno;
    if (!signals->are_blocked)
        return;
    int count = pinsight_fork_signals_take(signals, taken);
    uint64_t delay_ns = pinsight_now_ns() - signals->since_ns;
    if (delay_ns > PINSIGHT_FORK_SIGNALS_DELAY_MAX_NS)
        delay_ns = PINSIGHT_FORK_SIGNALS_DELAY_MAX_NS;
    if (count > 0 && !pinsight_fork_signals_sender(taken, count, delay_ns)) {
        pid_t thread = (pid_t)syscall(SYS_gettid);
        for (int i = 0; i < count; i++)
            syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, taken[i].si_signo, &taken[i]);
    }
    pinsight_fork_signals_unblock(signals);
    errno = kept;
}

#endif
