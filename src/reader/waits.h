/* What threads waited for, by what they were in: the time that they are known to have waited, and
 * of the rest that which their clocks say they were without a processor and wanted none (clock.h).
 * Not thread-safe. */
#ifndef PINSIGHT_READER_WAITS_H
#define PINSIGHT_READER_WAITS_H

#include "reader/stack.h"

/* What Python and its C functions wait for. */
enum pinsight_wait {
    PINSIGHT_WAIT_OTHER, /* not known */
    PINSIGHT_WAIT_IDLE,  /* nothing recorded was open */
    PINSIGHT_WAIT_GIL,
    PINSIGHT_WAIT_LOCK, /* also the end of a thread, and queues */
    PINSIGHT_WAIT_SLEEP,
    PINSIGHT_WAIT_POLL, /* select, poll, epoll */
    PINSIGHT_WAIT_SOCKET,
    PINSIGHT_WAIT_FILE, /* and pipes */
    PINSIGHT_WAIT_CHILD,
    PINSIGHT_WAITS,
    /* In a slice of another kind: this and the kind. */
    PINSIGHT_WAIT_SLICE = PINSIGHT_WAITS,
    PINSIGHT_WAITS_ALL = PINSIGHT_WAIT_SLICE + PINSIGHT_SLICE_KINDS
};

/* Sums by cause, in nanoseconds. */
struct pinsight_wait_sums {
    uint64_t ns[PINSIGHT_WAITS_ALL];
};

/* Which of them a C function waits for, by its name ("time.sleep"). */
enum pinsight_wait pinsight_wait_of_name(const char *name);

/* Whether a function of C with a name is there to wait: what reads or writes besides is not. */
bool pinsight_wait_is_all(const char *name);

/* A reading of a thread's clock: it waited so long in what is innermost, and so long in the longest
 * call that ended since the last reading. */
void pinsight_waits_add(struct pinsight_thread *thread, uint64_t within_ns, uint64_t longest_ns);

/* The innermost slice of a track ends, and waited_ns of its own time is known to have been a wait:
 * that counts before the thread's clock, which says something else where the wait is a loop. */
void pinsight_waits_known(struct pinsight_track *track, struct pinsight_slice *slice, uint64_t ns);

/* A wait for the GIL that ended at a time: of that the cause is known. */
void pinsight_waits_gil(struct pinsight_thread *thread, uint64_t end_ns, uint64_t wait_ns);

#endif
