/* Calling contexts by function: how often and how long each was on the stack, and each as called
 * from another. Recursion, direct or through others, counts once. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_CONTEXT_SUMS_H
#define PINSIGHT_VIEWS_CONTEXT_SUMS_H

#include "views/contexts.h"

/* Of a frame, or of a call from one frame to another. Times of a frame: `total_ns` in the threads
 * that it runs in, `threads_ns` with what the threads of OpenMP's teams did for it; and what
 * devices did: for what is launched beneath it, and as itself. */
struct pinsight_context_sum {
    uint64_t calls;
    uint64_t outermost; /* of them, those not within another one of the same */
    uint64_t self_ns;
    uint64_t total_ns;
    uint64_t threads_ns;
    uint64_t device_ns, device_self_ns;
};

/* A call. Of a callee's total_ns and threads_ns `sum` has what is within no other call of the
 * callee, so that those of all its callers together are the callee's. */
struct pinsight_context_arc {
    uint32_t caller; /* frame, or PINSIGHT_NONE for a root */
    uint32_t callee; /* frame */
    uint32_t root;   /* of a root's, and of remote ones */
    int32_t line;    /* as of struct pinsight_context */
    bool remote;     /* from a region to another thread's part of it */
    struct pinsight_context_sum sum;
    uint64_t own_ns; /* within no other of the same caller and callee, in the callee's thread */
};

struct pinsight_context_sums {
    struct pinsight_context_sum *frames; /* by frame; those that are the same as another are 0 */
    struct pinsight_context_arc *arcs;
    size_t arc_count, arc_capacity;
    uint64_t self_ns;   /* of all threads */
    uint64_t device_ns; /* of all streams */
};

/* Adds up; frames have their names. The caller clears. */
void pinsight_context_sums_make(struct pinsight_context_sums *sums,
                                const struct pinsight_contexts *contexts);
void pinsight_context_sums_clear(struct pinsight_context_sums *sums);

#endif
