/*
 * Waits for locks of the interpreter: the waiting places, the locks, and the places at which the
 * holders released them.
 *
 * Locks that one call path waited for first are one row. The memory grows with the number of call
 * paths, not of waits.
 */
#ifndef PINSIGHT_READER_PYTHON_LOCKS_H
#define PINSIGHT_READER_PYTHON_LOCKS_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Sums of waits. */
struct pinsight_lock_sums {
    uint64_t waits, wait_ns, longest_ns;
    uint64_t timed_out, interrupted; /* numbers of waits that ended so */
    uint64_t open;                   /* waits without an end */
};

/* Locks that one path made or, if that is unknown, waited for first. */
struct pinsight_lock {
    const struct pinsight_process *process;
    uint32_t path; /* PINSIGHT_NONE if unknown */
    bool made;
    uint64_t locks;
    struct pinsight_lock_sums sums;
};

/* Waits of one path for such a lock, which another path ended. */
struct pinsight_lock_wait {
    uint32_t lock; /* index of the row in `locks` */
    uint32_t path, holder;
    struct pinsight_lock_sums sums;
};

/* The state of a lock by its number in a process, and that of an open wait. */
struct pinsight_live_lock {
    uint32_t row, holder; /* the path that released it last */
    uint32_t made;        /* the path that made it, or PINSIGHT_NONE */
    uint32_t let_go_tid;  /* the thread that released it last; 0 if none did */
    uint64_t let_go_ns;
};
struct pinsight_open_wait {
    uint64_t begin_ns;
    uint32_t row, path;
    bool open;
};

struct pinsight_python_locks {
    struct pinsight_lock *locks;
    size_t count, capacity;
    struct pinsight_lock_wait *waits;
    size_t wait_count, wait_capacity;
    struct pinsight_live_lock *live;
    size_t live_count, live_capacity;
    struct pinsight_open_wait *open;
    size_t open_count, open_capacity;
    struct pinsight_map lock_map, wait_map, live_map, open_map;
};

/* Takes the events lock_made, lock_wait_begin, lock_wait_end and lock_release. */
void pinsight_locks_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Counts the open waits at the end of the trace. */
void pinsight_locks_finish(struct pinsight_model *model);
void pinsight_locks_free(struct pinsight_python_locks *locks);

#endif
