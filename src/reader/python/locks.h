/* Waits for locks of the interpreter's: where threads waited for which, and where who had it let
 * go.
 *
 * Locks that were first waited for by one call path are one row. What is kept grows with the call
 * paths, not with the waits. */
#ifndef PINSIGHT_READER_PYTHON_LOCKS_H
#define PINSIGHT_READER_PYTHON_LOCKS_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Sums of waits. */
struct pinsight_lock_sums {
    uint64_t waits, wait_ns, longest_ns;
    uint64_t timed_out, interrupted; /* of the waits */
    uint64_t open;                   /* of the waits, those that were not seen to end */
};

/* Locks that were made by one path; or, where that is not known, first waited for. */
struct pinsight_lock {
    const struct pinsight_process *process;
    uint32_t path; /* or PINSIGHT_NONE */
    bool made;
    uint64_t locks;
    struct pinsight_lock_sums sums;
};

/* Waits for such a lock by one path, which another ended. */
struct pinsight_lock_wait {
    uint32_t lock; /* row of locks */
    uint32_t path, holder;
    struct pinsight_lock_sums sums;
};

/* A lock by its number in a process, and a wait that goes on. */
struct pinsight_live_lock {
    uint32_t row, holder; /* the path that let go last */
    uint32_t made;        /* the path that made it, or PINSIGHT_NONE */
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

/* The events lock_made, lock_wait_begin, lock_wait_end and lock_release. */
void pinsight_locks_take(struct pinsight_model *model, const struct pinsight_event *event);

/* The trace has ended; all is freed. */
void pinsight_locks_finish(struct pinsight_model *model);
void pinsight_locks_free(struct pinsight_python_locks *locks);

#endif
