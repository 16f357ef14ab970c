/* Whether the process is inside libbabeltrace2, and whether that comes forward. Some damage makes
 * it crash, abort or go round for ever, and nothing but a signal handler notices. */
#ifndef PINSIGHT_READER_CTF_GUARD_H
#define PINSIGHT_READER_CTF_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Written by the thread that reads; a handler may look at them. */
struct pinsight_guard {
    volatile sig_atomic_t inside; /* libbabeltrace2 is at work */
    volatile sig_atomic_t steps;  /* grows with each time that it comes back */
    uint64_t bytes;               /* of the trace that is read: more may take longer */
};

extern struct pinsight_guard pinsight_guard;

/* libbabeltrace2 is called, or goes on after it called us. */
static inline void pinsight_guard_enter(void) {
    pinsight_guard.inside = 1;
}

/* It came back, or called us. */
static inline void pinsight_guard_leave(void) {
    pinsight_guard.inside = 0;
    pinsight_guard.steps = (sig_atomic_t)((unsigned)pinsight_guard.steps + 1);
}

/* To be called for each tick of a clock that counts the process's own time, PINSIGHT_GUARD_TICK_US
 * apart. Returns whether libbabeltrace2 is stuck: it has not come back for 3 s, and 2 s more for
 * each GiB of the trace, or has taken more than 1 GiB meanwhile. May be called from a signal
 * handler. */
bool pinsight_guard_is_stuck(void);

#define PINSIGHT_GUARD_TICK_US 100000

#endif
