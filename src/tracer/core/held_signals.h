/*
 * Signals that wait while a thread does what must not end halfway, or be interrupted by a handler
 * that forks.
 *
 * This file is header only, so that the preloaded shim and the domains share it without sharing an
 * object. The functions are as safe in a signal handler as pthread_sigmask() is, and keep errno.
 */
#ifndef PINSIGHT_CORE_HELD_SIGNALS_H
#define PINSIGHT_CORE_HELD_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Blocks all signals in the calling thread, except those that a fault raises: a fault with a
 * blocked signal ends the process without its handler (sigprocmask(2)). Sets *held to those that
 * were not blocked before. Returns false, with nothing blocked, on failure.
 */
static inline bool pinsight_signals_hold(sigset_t *held) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t before;
    sigfillset(held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(held, faults[i]);
    if (pthread_sigmask(SIG_BLOCK, held, &before) != 0)
        return false;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&before, number) == 1)
            sigdelset(held, number);
    return true;
}

/* Unblocks the signals that pinsight_signals_hold() blocked. Those that arrived meanwhile are
 * delivered. Makes no system call for an empty set. */
static inline void pinsight_signals_release(const sigset_t *held) {
    if (!sigisemptyset(held))
        pthread_sigmask(SIG_UNBLOCK, held, NULL); /* returns its error, and keeps errno */
}

#endif
