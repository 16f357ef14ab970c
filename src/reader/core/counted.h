/* Call paths that MONITORING counted in the program itself: the event path_profile. Part of the
 * model; not thread-safe. */
#ifndef PINSIGHT_READER_CORE_COUNTED_H
#define PINSIGHT_READER_CORE_COUNTED_H

#include "reader/model.h"

/* A function or callable that one thread executed, called from its parent. */
struct pinsight_counted {
    struct pinsight_thread *thread;
    uint32_t parent;  /* an index less than its own; PINSIGHT_NONE for an outermost path */
    uint32_t id;      /* a function, or a callee */
    uint32_t lexgion; /* number in its domain */
    int32_t line;     /* in the parent, 0 if unknown */
    uint8_t kind;     /* enum pinsight_kind */
    uint8_t domain;   /* of a region; READER_DOMAINS if it belongs to no known domain */
    bool folded;      /* there were too many paths: its parent is the caller of many */
    bool cut_off;     /* a call was open when its process ended without writing its counts */
    uint64_t calls, inclusive_ns, max_ns;
    int64_t own_ns; /* from the events */
    /* Set at the end of the trace: */
    uint32_t site;    /* call site of a C call */
    uint64_t self_ns; /* without counted inner calls, but with native work */
    uint64_t total_ns;
    uint64_t waiting_ns; /* of self_ns, in a call whose only purpose is to wait */
};

/* Returns whether a path is one of Python. A region of native code is part of its caller. */
static inline bool pinsight_counted_is_python(const struct pinsight_counted *path) {
    return path->kind != PINSIGHT_REGION;
}

/* Takes a path_profile event. */
void pinsight_counted_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Moves the paths of a thread to another. */
void pinsight_counted_move(struct pinsight_model *model, const struct pinsight_thread *from,
                           struct pinsight_thread *to);

/* Called at the end of the trace. Names the paths, and adds their times to call sites and, if it is
 * wanted, to the call tree. Regions of native code become part of their callers. */
void pinsight_counted_finish(struct pinsight_model *model);

/* For pinsight_counted_finish(): takes the time of counted executions off the own time of the
 * traced ones around them, which have paths without calls. */
void pinsight_counted_take_off(struct pinsight_model *model);

/* Returns whether all Python in the model was counted by call path, so that nothing was traced. */
bool pinsight_counted_is_all(const struct pinsight_model *model);

/* Returns the number of calls that were counted without their path, because a process had too
 * many. */
uint64_t pinsight_counted_folded(const struct pinsight_model *model);

/* Returns the number of calls that were open when their process ended without writing its
 * counts. */
uint64_t pinsight_counted_cut_off(const struct pinsight_model *model);

/* Returns, for each path, the first of its children and the next child of its parent, in the order
 * of the events, or PINSIGHT_NONE. Sets *first to the first path without a parent. The caller frees
 * the result. */
struct pinsight_counted_links {
    uint32_t first, next;
};
struct pinsight_counted_links *pinsight_counted_links(const struct pinsight_model *model,
                                                      uint32_t *first);

#endif
