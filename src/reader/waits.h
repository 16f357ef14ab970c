/* The waits of threads, by the kind of slice. Some times are known to be waits. In the rest of the
 * time, a thread waits while it has no processor and wants none, by its clock (clock.h). Not
 * thread-safe. */
#ifndef PINSIGHT_READER_WAITS_H
#define PINSIGHT_READER_WAITS_H

#include "reader/stack.h"

/* Causes of waits in Python and its C functions. */
enum pinsight_wait {
    PINSIGHT_WAIT_OTHER, /* unknown */
    PINSIGHT_WAIT_IDLE,  /* no recorded slice was open */
    PINSIGHT_WAIT_GIL,
    PINSIGHT_WAIT_LOCK, /* also the end of a thread, and queues */
    PINSIGHT_WAIT_SLEEP,
    PINSIGHT_WAIT_POLL, /* select, poll, epoll */
    PINSIGHT_WAIT_SOCKET,
    PINSIGHT_WAIT_FILE, /* and pipes */
    PINSIGHT_WAIT_CHILD,
    PINSIGHT_WAITS,
    /* A wait in a slice of another kind: this value plus the kind. */
    PINSIGHT_WAIT_SLICE = PINSIGHT_WAITS,
    PINSIGHT_WAITS_ALL = PINSIGHT_WAIT_SLICE + PINSIGHT_SLICE_KINDS
};

/* Sums by cause, in nanoseconds. */
struct pinsight_wait_sums {
    uint64_t ns[PINSIGHT_WAITS_ALL];
};

/* Returns the cause of waits in a C function, by its name ("time.sleep"). */
enum pinsight_wait pinsight_wait_of_name(const char *name);

/* Returns whether the only purpose of a C function is to wait. A function that also reads or writes
 * is none. */
bool pinsight_wait_is_all(const char *name);

/* Takes a reading of a thread's clock. The thread waited `within_ns` in the innermost slice, and
 * `longest_ns` in the longest call that ended since the last reading. */
void pinsight_waits_add(struct pinsight_thread *thread, uint64_t within_ns, uint64_t longest_ns);

/* Takes the known wait of the innermost slice of a track, at its end: waited_ns of its self time. A
 * known wait has precedence over the thread's clock, which differs if the wait is a loop. */
void pinsight_waits_known(struct pinsight_track *track, struct pinsight_slice *slice, uint64_t ns);

/* Takes a wait for the GIL that ended at `end_ns`, and corrects the cause of that time. */
void pinsight_waits_gil(struct pinsight_thread *thread, uint64_t end_ns, uint64_t wait_ns);

#endif
