/*
 * Signals that come while a process forks.
 *
 * A forked child has work to do before it goes on: the recorder may start anew in it and register,
 * inside fork(), which takes some 10 to 50 ms. Without us the child would be on its way in that
 * time, and a signal would find it in its own code. Here it would find it in fork(), and CPython
 * forgets all that came before its own work for the child (Modules/signalmodule.c,
 * _PySignal_AfterFork). So signals wait in the kernel, from the moment before the fork until the
 * child goes on. Those that came meanwhile are sent to it anew as much later as it was late itself:
 * it is where it would have been then, be it in its own code or in another program.
 *
 * Who holds signals while somebody further out does, holds none: each only what is not blocked yet.
 *
 * Header only, so that the preloaded shim and the domains share it without sharing an object. All
 * of it is as safe in a signal handler as fork() is.
 */
#ifndef PINSIGHT_CORE_HOLD_H
#define PINSIGHT_CORE_HOLD_H

#include "base/clock.h"

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

/* However late the child is, so much later it is in its own code. */
enum { PINSIGHT_HOLD_LATE_MAX_NS = 99999999 };
/* So many signals are sent anew; what is more arrives at once. */
enum { PINSIGHT_HOLD_MAX = 32 };

/* What one thread holds; a child has its parent's copy. */
struct pinsight_hold {
    sigset_t held; /* what was blocked and had not been */
    uint64_t since_ns;
    bool holds;
};

/*
 * Blocks all signals in the calling thread, but those that a fault raises: one that finds its
 * signal blocked ends the process without its handler (sigprocmask(2)). The thread is to release
 * them soon, and so is the child that it forks. A second call in between does nothing.
 */
static inline void pinsight_hold(struct pinsight_hold *hold) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t before;
    if (hold->holds)
        return;
    sigfillset(&hold->held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&hold->held, faults[i]);
    if (pthread_sigmask(SIG_BLOCK, &hold->held, &before) != 0)
        return;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&before, number) == 1)
            sigdelset(&hold->held, number);
    hold->since_ns = pinsight_now_ns();
    hold->holds = true;
}

/* In the parent: unblocks what pinsight_hold() blocked in this thread, and nothing else. Does
 * nothing where nothing is held. Keeps errno. */
static inline void pinsight_hold_release(struct pinsight_hold *hold) {
    if (!hold->holds)
        return;
    hold->holds = false;
    pthread_sigmask(SIG_UNBLOCK, &hold->held, NULL); /* returns its error */
}

/* Takes what came, but for the signals whose order tells whether a process stops or goes on.
 * Returns how many. */
static inline int pinsight_hold_take(const struct pinsight_hold *hold, siginfo_t *taken) {
    const struct timespec now = {0};
    sigset_t wanted = hold->held;
    int count = 0;
    sigdelset(&wanted, SIGTSTP);
    sigdelset(&wanted, SIGTTIN);
    sigdelset(&wanted, SIGTTOU);
    sigdelset(&wanted, SIGCONT);
    while (count < PINSIGHT_HOLD_MAX && sigtimedwait(&wanted, &taken[count], &now) > 0)
        count++;
    return count;
}

/*
 * What the process does that sends them: a process and not a thread, so that they arrive also where
 * the child executes another program meanwhile. It is a copy of one that has threads, so it calls
 * nothing that takes a lock. It keeps no descriptor, so no pipe stays open for it.
 */
static inline _Noreturn void pinsight_hold_send(pid_t child, const siginfo_t *taken, int count,
                                                uint64_t late_ns) {
    const struct timespec late = {.tv_nsec = (long)late_ns};
    if (syscall(SYS_close_range, 0, ~0u, 0) != 0)
        for (int fd = 0; fd < 1024; fd++)
            syscall(SYS_close, fd);
    nanosleep(&late, NULL);
    /* While the child lives it is the parent, and its number nobody else's. */
    for (int i = 0; i < count && getppid() == child; i++) {
        siginfo_t info = taken[i];
        if (info.si_code >= 0 || syscall(SYS_rt_sigqueueinfo, child, info.si_signo, &info) != 0)
            kill(child, info.si_signo);
    }
    for (;;)
        syscall(SYS_exit_group, 0);
}

/* Makes that process, without an exit signal, so that no wait() of the program's reports it
 * (wait(2),
 * __WCLONE); what is left of it goes with the child. Returns false where there can be none. */
static inline bool pinsight_hold_sender(const siginfo_t *taken, int count, uint64_t late_ns) {
    sigset_t all, before;
    pid_t child = getpid();
    sigfillset(&all); /* no handler of the program's is to run in it */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    long sender = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (sender == 0)
        pinsight_hold_send(child, taken, count, late_ns);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return sender > 0;
}

/* In the child: what pinsight_hold_release() does, and what came meanwhile comes later. */
static inline void pinsight_hold_release_child(struct pinsight_hold *hold) {
    siginfo_t taken[PINSIGHT_HOLD_MAX];
    int kept = errno;
    if (!hold->holds)
        return;
    int count = pinsight_hold_take(hold, taken);
    uint64_t late_ns = pinsight_now_ns() - hold->since_ns;
    if (late_ns > PINSIGHT_HOLD_LATE_MAX_NS)
        late_ns = PINSIGHT_HOLD_LATE_MAX_NS;
    if (count > 0 && !pinsight_hold_sender(taken, count, late_ns)) {
        pid_t thread = (pid_t)syscall(SYS_gettid);
        for (int i = 0; i < count; i++)
            syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, taken[i].si_signo, &taken[i]);
    }
    pinsight_hold_release(hold);
    errno = kept;
}

#endif
