/* The calling contexts of a run: for each distinct chain of who called what, how often and for how
 * long, with native work beneath the Python that caused it. For views that show profiles.
 *
 * It is built over the timeline: what is kept grows with the distinct contexts, up to a limit, and
 * not with the trace. A node is a parent and what runs beneath it. Its children stand after it.
 *
 * A thread of an OpenMP team has no callers of its own. Its part of a region stands beneath the
 * region, where the thread that started it is: that node is `remote`, because time in it passes
 * beside that of its parents and not within it. Native work in a thread of which no Python was
 * recorded stands beneath the Python call path that its event names. So does the work of a stream
 * of a device, in a tree of its own: beneath the path of the call that launched it. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_CONTEXTS_H
#define PINSIGHT_VIEWS_CONTEXTS_H

#include "reader/timeline.h"

struct pinsight_slice_texts;
struct pinsight_context_lane;

/* What has a tree of its own. */
enum pinsight_contexts_by { PINSIGHT_CONTEXTS_BY_PROCESS, PINSIGHT_CONTEXTS_BY_THREAD };

/* Past this many nodes what a node calls that is new is counted as the node's own time. */
#define PINSIGHT_CONTEXTS_MOST (1u << 20)

/* What runs, wherever it is called from. */
struct pinsight_context_frame {
    uint8_t kind;        /* enum pinsight_slice_kind */
    uint8_t native_kind; /* of a region or part: enum pinsight_omp_kind */
    uint32_t id;         /* what runs, see struct slice_view; of a region or part its place */
    uint32_t sample;     /* the id of one of its slices */
    /* What pinsight_contexts_name adds. */
    char *name, *file; /* owned; file is "" where there is none */
    int32_t line;
    uint32_t same; /* the first frame of that name, file and line; this one where it is the first */
};

struct pinsight_context {
    uint32_t parent; /* PINSIGHT_NONE for a root */
    uint32_t frame;  /* PINSIGHT_NONE for a root */
    uint32_t root;
    int32_t line; /* in the parent, where it is called; 0 where not known or not asked for */
    bool remote;
    uint64_t calls; /* begins that are calls, not a generator's resumptions */
    uint64_t self_ns;
};

/* A tree: of a thread, of all threads of a process, or of a stream of a device. */
struct pinsight_context_root {
    uint32_t node;
    const struct pinsight_track *track; /* the first, which says the process; or NULL */
    bool device;                        /* of a stream: times are the device's, and no thread's */
};

struct pinsight_contexts {
    const struct pinsight_model *model;
    enum pinsight_contexts_by by;
    bool lines;    /* calls of one thing from several lines are several nodes */
    bool flat;     /* remote nodes are not told from others */
    uint32_t most; /* nodes */
    struct pinsight_context *nodes;
    size_t node_count, node_capacity;
    struct pinsight_context_frame *frames;
    size_t frame_count, frame_capacity;
    struct pinsight_context_root *roots;
    size_t root_count, root_capacity;
    struct pinsight_context_lane **lanes; /* what is open in each thread */
    size_t lane_count, lane_capacity;
    struct pinsight_map node_map, frame_map, root_map;
    uint64_t slices;
    uint64_t merged; /* calls that were counted as their caller's time: too many contexts */
};

/* Makes them, and has them told by a timeline, which the caller then gives to the model; the
 * timeline's `streams` says whether devices have trees. */
void pinsight_contexts_make(struct pinsight_contexts *contexts, const struct pinsight_model *model,
                            struct pinsight_timeline *timeline);
/* The node of the open slice at a place in a track's stack, which a view asks for that has put
 * itself before these in the timeline: after their `begin`, or before their `end`. */
uint32_t pinsight_contexts_open(const struct pinsight_track *track, size_t place);

/* Adds what MONITORING counted, when the trace is read, where nothing was traced beside. */
void pinsight_contexts_add_counted(struct pinsight_contexts *contexts);

/* When the model tells no more. */
void pinsight_contexts_clear(struct pinsight_contexts *contexts);

/* Gives frames their names, when the trace is read. Names are valid UTF-8 on one line: other bytes,
 * control characters and the characters of `avoid` come out as \xNN. */
void pinsight_contexts_name(struct pinsight_contexts *contexts, struct pinsight_slice_texts *texts,
                            const char *avoid);

/* For each node the first of its children and the next one of its parent's, in the order in which
 * they came, or PINSIGHT_NONE; to be freed. */
struct pinsight_context_links {
    uint32_t first, next;
};
struct pinsight_context_links *pinsight_contexts_links(const struct pinsight_contexts *contexts);

#endif
