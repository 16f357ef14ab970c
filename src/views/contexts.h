/*
 * The calling contexts of a run: how often and for how long each distinct call path ran. Native
 * work stands beneath the Python that caused it. Views that show profiles use the contexts.
 *
 * The contexts follow the timeline. The memory grows with the number of distinct contexts, up to a
 * limit, and not with the trace. A node consists of a parent and the code that runs beneath it. The
 * children of a node have higher indices than the node.
 *
 * A thread of an OpenMP team has no callers of its own. The thread's part of a region stands
 * beneath the region, in the thread that started the region. The part's node is `remote`, because
 * its time passes beside the time of its parents. Native work in a thread without recorded Python
 * stands beneath the Python call path of its event. A device's stream has a tree of its own, and
 * work stands beneath the path of the call that launched it. Not thread-safe.
 */
#ifndef PINSIGHT_VIEWS_CONTEXTS_H
#define PINSIGHT_VIEWS_CONTEXTS_H

#include "reader/timeline.h"

struct pinsight_slice_texts;
struct pinsight_context_lane;

/* Whether a process or a thread has a tree of its own. */
enum pinsight_contexts_by { PINSIGHT_CONTEXTS_BY_PROCESS, PINSIGHT_CONTEXTS_BY_THREAD };

/* The limit of nodes. Beyond it, a new callee of a node counts as the node's own time. */
#define PINSIGHT_CONTEXTS_MOST (1u << 20)

/* A piece of code that runs, from any caller. */
struct pinsight_context_frame {
    uint8_t kind;        /* enum pinsight_slice_kind */
    uint8_t native_kind; /* for a region or part: enum pinsight_omp_kind */
    uint32_t id;         /* number of the code, see struct slice_view; of a region: its place */
    uint32_t sample;     /* the id of one of its slices */
    /* Set by pinsight_contexts_name(). */
    char *name, *file; /* owned; file is "" if there is none */
    int32_t line;
    uint32_t same; /* the first frame with the same name, file and line; often this one */
};

struct pinsight_context {
    uint32_t parent; /* PINSIGHT_NONE for a root */
    uint32_t frame;  /* PINSIGHT_NONE for a root */
    uint32_t root;
    int32_t line; /* line of the call in the parent; 0 if unknown or not wanted */
    bool remote;
    uint64_t calls; /* begins of calls; resumptions of generators do not count */
    uint64_t self_ns;
};

/* The tree of a thread, of all threads of a process, or of a stream of a device. */
struct pinsight_context_root {
    uint32_t node;
    const struct pinsight_track *track; /* its first track, which leads to the process; or NULL */
    bool device; /* for a stream: times are the device's, and not a thread's */
};

struct pinsight_contexts {
    const struct pinsight_model *model;
    enum pinsight_contexts_by by;
    bool lines;    /* one callee has a node for each line that calls it */
    bool flat;     /* remote nodes are marked like others */
    uint32_t most; /* limit of nodes */
    /* From this number of nodes on, regions that the program marked have no callees: these are
     * entered beneath the region's caller. So many regions, such as tests, share one tree. 0: never
     */
    uint32_t marked_most;
    struct pinsight_context *nodes;
    size_t node_count, node_capacity;
    struct pinsight_context_frame *frames;
    size_t frame_count, frame_capacity;
    struct pinsight_context_root *roots;
    size_t root_count, root_capacity;
    struct pinsight_context_lane **lanes; /* open nodes of each thread */
    size_t lane_count, lane_capacity;
    struct pinsight_map node_map, frame_map, root_map;
    uint64_t slices;
    uint64_t merged; /* calls that count as their caller's time, because of the limit */
};

/* Initializes the contexts, and a timeline that feeds them. The caller gives the timeline to the
 * model. The timeline's `streams` decides whether devices have trees. */
void pinsight_contexts_make(struct pinsight_contexts *contexts, const struct pinsight_model *model,
                            struct pinsight_timeline *timeline);
/* Returns the node of an open slice, by its place in the track's stack. A view that stands before
 * the contexts in the timeline may call it: after the contexts' `begin`, or before their `end`. */
uint32_t pinsight_contexts_open(const struct pinsight_track *track, size_t place);

/* Adds the counts of MONITORING, if nothing was traced besides. The trace must be read to its
 * end. */
void pinsight_contexts_add_counted(struct pinsight_contexts *contexts);

/* Frees the contexts. The model must have passed its last slice. */
void pinsight_contexts_clear(struct pinsight_contexts *contexts);

/* Sets the names of all frames, after the trace was read. Names are valid UTF-8 on one line. Other
 * bytes, control characters and the characters of `avoid` become \xNN. */
void pinsight_contexts_name(struct pinsight_contexts *contexts, struct pinsight_slice_texts *texts,
                            const char *avoid);

/* For each node, its first child and the next child of its parent, in the order of their first
 * calls. The value is PINSIGHT_NONE if there is none. The caller frees the array. */
struct pinsight_context_links {
    uint32_t first, next;
};
struct pinsight_context_links *pinsight_contexts_links(const struct pinsight_contexts *contexts);

#endif
