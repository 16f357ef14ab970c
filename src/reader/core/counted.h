/* Call paths that MONITORING counted in the program itself: the event path_profile. Part of the
 * model; not thread-safe. */
#ifndef PINSIGHT_READER_CORE_COUNTED_H
#define PINSIGHT_READER_CORE_COUNTED_H

#include "reader/model.h"

/* What is executed, as called from its parent, in one thread. */
struct pinsight_counted {
    struct pinsight_thread *thread;
    uint32_t parent;  /* an index that is less than its own; PINSIGHT_NONE of an outermost one */
    uint32_t id;      /* a function, or a callee */
    uint32_t lexgion; /* as its domain numbers it */
    int32_t line;     /* of the parent, 0 where it is not known */
    uint8_t kind;     /* enum pinsight_kind */
    uint8_t domain;   /* of a region, or READER_DOMAINS where it is none of ours */
    bool folded;      /* there were too many paths: its parent is that of many */
    bool cut_off;     /* a call was under way when its process ended without a word */
    uint64_t calls, inclusive_ns, max_ns;
    int64_t own_ns; /* as the events have it */
    /* When the trace is read. */
    uint32_t site;    /* of a call of C: its call site */
    uint64_t self_ns; /* without what was counted in it, but with its native work */
    uint64_t total_ns;
    uint64_t waiting_ns; /* of self_ns, in a call that is there to wait */
};

/* Whether a path is one of Python: a region of native code is part of what called it. */
static inline bool pinsight_counted_is_python(const struct pinsight_counted *path) {
    return path->kind != PINSIGHT_REGION;
}

/* A path_profile event. */
void pinsight_counted_take(struct pinsight_model *model, const struct pinsight_event *event);

/* A thread is another one from now on. */
void pinsight_counted_move(struct pinsight_model *model, const struct pinsight_thread *from,
                           struct pinsight_thread *to);

/* The trace is read: paths are named, and what they took is added to call sites and, where it is
 * asked for, to the call tree. Regions of native code are part of what called them. */
void pinsight_counted_finish(struct pinsight_model *model);

/* Whether all that the model has of Python was counted by call path: nothing was traced beside. */
bool pinsight_counted_is_all(const struct pinsight_model *model);

/* How many calls were counted without their path, because a process had too many. */
uint64_t pinsight_counted_folded(const struct pinsight_model *model);

/* How many calls were under way when their process ended without writing its counts. */
uint64_t pinsight_counted_cut_off(const struct pinsight_model *model);

/* For each path the first of those that it calls and the next one of its parent's, in the order in
 * which they came, or PINSIGHT_NONE; of paths that nothing called the first is *first. To be freed.
 */
struct pinsight_counted_links {
    uint32_t first, next;
};
struct pinsight_counted_links *pinsight_counted_links(const struct pinsight_model *model,
                                                      uint32_t *first);

#endif
