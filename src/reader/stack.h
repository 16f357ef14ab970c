/*
 * The open slices of a thread, of all domains in one stack, strictly nested.
 *
 * A slice is an element of the stack. The self time of a slice is the time in which it was
 * innermost. Only this part computes it: at the slice's end, without pauses and without inner
 * slices.
 *
 * A domain that sums up its calls has a chain in the stack: its own frames, each within the one
 * before. The self time of these frames excludes only inner frames of the chain. A frame of a chain
 * may be cut: an outer slice ends first, because the trace lacks events. The frame then leaves the
 * stack, but not its chain, until its domain ends it. Not thread-safe.
 */
#ifndef PINSIGHT_READER_STACK_H
#define PINSIGHT_READER_STACK_H

#include "base/stack_pool.h"
#include "reader/model.h"

/* The grid of thread blocks of a kernel's launch. All zero if there is none. */
struct pinsight_launch_shape {
    uint32_t grid[3], block[3];
};

/* A stream of a device: a queue of work beside the threads of a process. The numbers are those of
 * the device's library. A stream may also belong to no device, and hold ranges or a task. */
struct pinsight_device_stream {
    struct pinsight_process *process;
    uint32_t device, context, number;
    bool other_contexts;          /* the process uses the device in other contexts, too */
    bool is_ranges;               /* holds ranges; `number` counts from 0 */
    bool is_task;                 /* holds one task, with its number */
    uint32_t name;                /* name of the task, in the model's strings */
    struct pinsight_track *track; /* NULL if there is none */
};

enum pinsight_slice_kind {
    PINSIGHT_SLICE_FUNCTION,    /* id: a function */
    PINSIGHT_SLICE_C_CALL,      /* id: a call site */
    PINSIGHT_SLICE_IMPORT,      /* id: the module's name, in the model's strings */
    PINSIGHT_SLICE_MARKED,      /* marked by the program; id: its name, in the model's strings */
    PINSIGHT_SLICE_REGION,      /* an OpenMP region, in the thread that starts it; id: its sums */
    PINSIGHT_SLICE_PART,        /* a thread's part of a region; id: the region's sums */
    PINSIGHT_SLICE_TASK,        /* an explicit OpenMP task while it runs; id: PINSIGHT_NONE */
    PINSIGHT_SLICE_WAIT,        /* a wait in OpenMP; id: enum pinsight_omp_wait */
    PINSIGHT_SLICE_MPI,         /* a call of MPI; id: its site */
    PINSIGHT_SLICE_DEVICE_CALL, /* a call of a device's library; id: its site */
    /* Work in a stream of a device, in the stream's track; id: the domain's kind of work. */
    PINSIGHT_SLICE_WORK,
    PINSIGHT_SLICE_GC, /* a garbage collection; id: the oldest generation in it */
    /* A call of the runtime of a domain without kinds of its own: PINSIGHT_SLICE_CALL plus the
     * domain's number. id: its site. See calls.h. */
    PINSIGHT_SLICE_CALL,
    /* Waits of Python. Those for the GIL are reported when they are over. */
    PINSIGHT_SLICE_GIL = PINSIGHT_SLICE_CALL + READER_DOMAINS, /* id: the function that held it */
    PINSIGHT_SLICE_LOCK,                                       /* id: PINSIGHT_NONE */
    /* States of a task of an event loop, in its track. The task runs (id: index of its coroutine),
     * waits (id: the waiting function, or PINSIGHT_NONE), or is ready to run. */
    PINSIGHT_SLICE_STEP,
    PINSIGHT_SLICE_AWAIT,
    PINSIGHT_SLICE_READY,
    PINSIGHT_SLICE_KINDS,
};

struct pinsight_slice {
    uint64_t begin_ns;
    uint64_t self_ns;      /* at its end: time without inner slices and without pauses */
    uint64_t away_ns;      /* time without a processor so far, with inner slices */
    uint64_t self_away_ns; /* at its end: away_ns without inner slices */
    /* Time in which it is known to have waited as the innermost slice, even with a processor.
     * Before its end the value may be too large. */
    uint64_t waited_ns;
    uint64_t ready_ns; /* time as the innermost slice in which it wanted a processor and had none */
    /* Identifies the slice at its end. For functions, C calls and imports it is the depth in their
     * chain, for regions and parts the region's number. */
    uint64_t key;
    uint64_t out;    /* first number of the flows that leave it, 0 if there is none */
    uint64_t in;     /* flow that arrives at its begin, 0 if there is none */
    uint64_t bytes;  /* sent by an MPI call; copied or set by a device or its call */
    uint32_t id;     /* depends on the kind; PINSIGHT_NONE if unknown */
    uint32_t path;   /* Python path that native work came from, see paths.h, or PINSIGHT_NONE */
    uint32_t native; /* place in native code, see native.h, or PINSIGHT_NONE */
    /* For a device and its calls: the Python path of the operation whose gradient is computed, or
     * PINSIGHT_NONE. */
    uint32_t forward;
    int32_t peer; /* of an MPI call: destination, root or source; negative if there is none */
    int32_t tag;
    uint32_t outs; /* number of flows that may leave it; for a region one for each team member */
    uint32_t correlation; /* connects calls and work of a device; 0 if there is none */
    struct pinsight_launch_shape shape; /* of a kernel and of its launch; otherwise zero */
    uint8_t kind;                       /* enum pinsight_slice_kind */
    uint8_t how;                        /* of a call: PINSIGHT_HOW_START, _RESUME or _THROW */
    bool cut;                           /* at its end: the end was not seen */
    bool for_other; /* `path` is that of another thread, which waits for it; see awaits.h */
    /* The generator or coroutine that the function executes, known shortly after its begin; 0 if it
     * is not recorded. */
    uint32_t generator;
    uint32_t own; /* of a call: data that its domain keeps, see kit/calls.h */
    /* Only for the stack: */
    uint64_t since_ns;    /* begin_ns plus the pauses since */
    uint64_t children_ns; /* time in inner slices */
    uint64_t like_ns;     /* time in inner frames of its chain */
    uint64_t children_away_ns, like_away_ns;
    uint64_t within_ready_ns; /* ready_ns of inner slices that belong to no chain */
    uint32_t below;           /* the next outer frame of its chain: index in the stack plus one */
    uint8_t chain;            /* number of the chain, or PINSIGHT_NO_CHAIN */
    /* Only for Python: */
    bool folded;        /* node is that of an outer frame, because the tree is full */
    uint32_t node;      /* of the call tree, of imports, or of garbage; or PINSIGHT_NONE */
    uint32_t group;     /* a group, or PINSIGHT_NONE */
    int32_t line;       /* of a function: line that called it; 0 if unknown */
    uint64_t openmp_ns; /* as in struct pinsight_stats */
};

/* The frames of a domain in a stack. */
struct pinsight_chain {
    uint32_t depth; /* number of frames, including those that were cut */
    uint32_t top;   /* the innermost frame in the stack: its index plus one; 0 if there is none */
    struct pinsight_slice *cut; /* frames that were cut, outermost first */
    size_t cut_count, cut_capacity;
    bool used; /* there has been a frame */
};

/* The chain of a domain has the domain's number. Imports and garbage collections have their own
 * chains. */
enum {
    PINSIGHT_IMPORTS = READER_DOMAINS,
    PINSIGHT_COLLECTIONS,
    PINSIGHT_CHAINS,
    PINSIGHT_NO_CHAIN = PINSIGHT_CHAINS
};

/* A begin or an end that the program marks, and that is not in the stack yet; see below. */
struct pinsight_marking {
    uint64_t ns;
    uint32_t name;
    bool ends;
    bool again; /* the part began in a frame that has ended, and continues after it */
};

/* The stack of one thread, or of one stream of a device. */
struct pinsight_track {
    /* NULL for a stream. The process and the name of the thread may become known later; see
     * adopt.h. */
    struct pinsight_thread *thread;
    const struct pinsight_device_stream *stream; /* NULL for a thread */
    uint32_t number; /* from 1, in the order of the first slices; 0 if no view looks at it */
    PINSIGHT_POOLED_STACK_OF(struct pinsight_slice, slices); /* the open slices, outermost first */
    size_t marking_count, marking_capacity;
    struct pinsight_marking *markings; /* in order of time */
    uint64_t last_ns;
    struct pinsight_chain chains[PINSIGHT_CHAINS];
    void *view; /* state of the view, which frees it in `gone` */
};

/* A slice with the defaults of all members. */
extern const struct pinsight_slice pinsight_no_slice;

/* Returns a slice with these members, and defaults for the others. */
static inline struct pinsight_slice pinsight_slice_of(enum pinsight_slice_kind kind, uint32_t id,
                                                      uint64_t key) {
    struct pinsight_slice slice = pinsight_no_slice;

    slice.kind = (uint8_t)kind;
    slice.id = id;
    slice.key = key;
    return slice;
}

/* ---- slices without a chain, for threads that a view looks at ---- */

/* Begins a slice in a thread. begin_ns is set. Copies `slice`. */
void pinsight_slice_begin(struct pinsight_thread *thread, const struct pinsight_slice *slice,
                          uint64_t ns);

/* Ends the innermost slice of a kind and key, after its inner slices. Does nothing if there is
 * none. */
void pinsight_slice_end(struct pinsight_thread *thread, enum pinsight_slice_kind kind, uint64_t key,
                        uint64_t ns);

/* Returns the number of open slices from the outermost to the innermost of a kind and key; 0 if
 * there is none. */
size_t pinsight_slice_place(const struct pinsight_track *track, enum pinsight_slice_kind kind,
                            uint64_t key);

/* Adds bytes to the innermost slice of a kind and key, beyond those that its begin had. Does
 * nothing if there is none. */
void pinsight_slice_add_bytes(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                              uint64_t key, uint64_t bytes);

/* Sets the time that the innermost slice of a kind and key waits, PINSIGHT_WAITS_ALWAYS for all of
 * its time. Does nothing if there is none. */
#define PINSIGHT_WAITS_ALWAYS UINT64_MAX
void pinsight_slice_set_wait(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                             uint64_t key, uint64_t ns);

/* Returns the Python path of the open slices in a track, or PINSIGHT_NONE. The path may be that of
 * another thread, if the track has a part in a region. `track` may be NULL. */
uint32_t pinsight_track_path(const struct pinsight_track *track);

/* ---- chains; frame.h begins and ends their frames ---- */

/* Return the innermost frame of a chain, and the next outer frame of a frame; or NULL. */
static inline struct pinsight_slice *pinsight_chain_top(const struct pinsight_thread *thread,
                                                        unsigned chain) {
    const struct pinsight_track *track = thread->track;
    const struct pinsight_chain *own;

    if (!track)
        return NULL;
    own = &track->chains[chain];
    if (own->top && track->slices[own->top - 1].key == own->depth)
        return &track->slices[own->top - 1];
    return own->cut_count ? &own->cut[own->cut_count - 1] : NULL;
}
struct pinsight_slice *pinsight_chain_outer(const struct pinsight_thread *thread,
                                            const struct pinsight_slice *frame);

/* Removes the innermost frame from a chain. In the stack it ends with the slice around it. */
void pinsight_chain_drop(struct pinsight_thread *thread, unsigned chain);

/* Moves the frames of a chain to another thread. Does nothing if that thread has had frames in the
 * chain. */
void pinsight_chain_move(struct pinsight_thread *from, struct pinsight_thread *to, unsigned chain);

/* Returns whether a thread has frames in any chain. */
bool pinsight_stack_has_frames(const struct pinsight_thread *thread);

/*
 * ---- parts that the program marks ----
 *
 * Calls mark a part of the program, such as those of a context manager's __enter__ and __exit__.
 * The begin and the end are recorded in the frames of these calls, but the part does not lie within
 * those frames. Therefore both wait until the frames have ended. Both are applied to the stack
 * before any other slice begins. A part may continue when a frame around it ends. The part is then
 * cut there, and continues in a slice of its own.
 */

/* Begin a part with a name in a thread, and end the innermost one with this name, if there is
 * one. */
void pinsight_marked_begin(struct pinsight_thread *thread, uint32_t name, uint64_t ns);
void pinsight_marked_end(struct pinsight_thread *thread, uint32_t name, uint64_t ns);

/* Applies the waiting begins and ends to the stack. */
void pinsight_marked_settle(struct pinsight_track *track);

/* Ends a frame, so that the outermost `depth` slices stay. Inner slices end; marked parts
 * continue. */
void pinsight_marked_leave(struct pinsight_track *track, size_t depth, uint64_t ns);

/* ---- whole stacks ---- */

/* Return the stack of a thread, which the first call makes. The second function also gives it a
 * number, and the third makes room for one more slice. */
struct pinsight_track *pinsight_stack_of(struct pinsight_thread *thread);
struct pinsight_track *pinsight_stack_used(struct pinsight_thread *thread);
struct pinsight_track *pinsight_stack_room(struct pinsight_thread *thread);

/* The program was stopped: shortens the open slices of a thread that began before `before_ns` by
 * `pause_ns`. */
void pinsight_stack_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

/* Reports the end of all open slices of a thread. The frames of chains are cut. */
void pinsight_track_close(struct pinsight_thread *thread, uint64_t ns);

/* Ends the slices within the outermost `depth` slices of a track. Frames of chains are cut. */
void pinsight_track_cut(struct pinsight_track *track, size_t depth, uint64_t ns);

/* Begin a slice, and end the innermost one. */
void pinsight_track_push(struct pinsight_track *track, const struct pinsight_slice *slice,
                         uint64_t ns);
void pinsight_track_pop(struct pinsight_track *track, uint64_t ns);

/* Returns a time that is not before the last time of the track. */
static inline uint64_t pinsight_track_time(struct pinsight_track *track, uint64_t ns) {
    if (ns < track->last_ns)
        return track->last_ns;
    track->last_ns = ns;
    return ns;
}

/* Returns the process of a track, as far as it is known now. */
static inline struct pinsight_process *pinsight_track_process(const struct pinsight_track *track) {
    return track->thread ? track->thread->process : track->stream->process;
}

#endif
