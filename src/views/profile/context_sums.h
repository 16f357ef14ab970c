/* Sums of calling contexts by function, and by call from one function to another. A sum has the
 * calls, and the time on the stack. A recursion, direct or not, counts once. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_CONTEXT_SUMS_H
#define PINSIGHT_VIEWS_CONTEXT_SUMS_H

#include "views/contexts.h"

/* Sums of a frame, or of a call from one frame to another. `total_ns` is time in the threads that
 * the frame runs in. `threads_ns` adds the time of OpenMP teams that work for it. The device times
 * are the work that it launched, and its own work if it runs on a device. */
struct pinsight_context_sum {
    uint64_t calls;
    uint64_t outermost; /* calls outside other calls of the same frame */
    uint64_t self_ns;
    uint64_t total_ns;
    uint64_t threads_ns;
    uint64_t device_ns, device_self_ns;
};

/* A call of one frame from another. total_ns and threads_ns of `sum` leave out calls within another
 * call of the callee. Therefore the times of all callers add up to the callee's. */
struct pinsight_context_arc {
    uint32_t caller; /* frame, or PINSIGHT_NONE for a root */
    uint32_t callee; /* frame */
    uint32_t root;   /* set for a root's calls, and for remote ones */
    int32_t line;    /* like that of struct pinsight_context */
    bool remote;     /* from a region to its part in another thread */
    struct pinsight_context_sum sum;
    uint64_t own_ns; /* time in the callee's thread, outside other calls with the same caller and
                        callee */
};

struct pinsight_context_sums {
    struct pinsight_context_sum *frames; /* by frame; 0 for frames that equal an earlier one */
    struct pinsight_context_arc *arcs;
    size_t arc_count, arc_capacity;
    uint64_t self_ns;   /* of all threads */
    uint64_t device_ns; /* of all streams */
};

/* Adds up the contexts, whose frames have their names. The caller clears `sums`. */
void pinsight_context_sums_make(struct pinsight_context_sums *sums,
                                const struct pinsight_contexts *contexts);
void pinsight_context_sums_clear(struct pinsight_context_sums *sums);

#endif
