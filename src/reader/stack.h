/* What is open in a thread, of all domains in one stack, strictly nested.
 *
 * A slice is a frame of it. How long one was innermost (its self time) is worked out here alone:
 * at its end, without pauses and without what was within it.
 *
 * A domain that sums up its calls has a chain in the stack: its own frames, each within the one
 * before. For these the self time is without frames of the chain alone. A frame of a chain may be
 * cut: what it is in ends first, as a trace that lacks events says. It leaves the stack then, but
 * not its chain, until its domain ends it. Not thread-safe. */
#ifndef PINSIGHT_READER_STACK_H
#define PINSIGHT_READER_STACK_H

#include "base/room.h"
#include "reader/model.h"

/* The grid of blocks of threads that a kernel is launched with; all zero is none. */
struct pinsight_launch_shape {
    uint32_t grid[3], block[3];
};

/* A stream of a device: a queue of work beside the threads of a process. The numbers are those of
 * the library that the device is used through. Or no device's: what has the process's ranges. */
struct pinsight_device_stream {
    struct pinsight_process *process;
    uint32_t device, context, number;
    bool other_contexts;          /* the process uses the device in other contexts, too */
    bool is_ranges;               /* `number` is from 0 on, `device` and `context` are nothing */
    bool is_task;                 /* likewise: that of one task, with its number, and */
    uint32_t name;                /* its name, in the model's strings */
    struct pinsight_track *track; /* NULL without */
};

enum pinsight_slice_kind {
    PINSIGHT_SLICE_FUNCTION,    /* id: a function */
    PINSIGHT_SLICE_C_CALL,      /* id: a call site */
    PINSIGHT_SLICE_IMPORT,      /* id: the module's name, in the model's strings */
    PINSIGHT_SLICE_MARKED,      /* what the program marks itself; id: its name, likewise */
    PINSIGHT_SLICE_REGION,      /* of OpenMP, in the thread that starts it; id: its sums */
    PINSIGHT_SLICE_PART,        /* a thread's part of a region; id: likewise */
    PINSIGHT_SLICE_TASK,        /* an explicit task, while it runs; id: PINSIGHT_NONE */
    PINSIGHT_SLICE_WAIT,        /* in OpenMP; id: enum pinsight_omp_wait */
    PINSIGHT_SLICE_MPI,         /* a call; id: its site */
    PINSIGHT_SLICE_DEVICE_CALL, /* of the library that devices are used through; id: its site */
    PINSIGHT_SLICE_WORK, /* of a stream of a device, in its track; id: the domain's kind of work */
    PINSIGHT_SLICE_GC,   /* a collection of garbage; id: the oldest generation that it is of */
    /* A call of the runtime of a domain without kinds of its own: PINSIGHT_SLICE_CALL and the
     * domain's number; id: its site. See calls.h. */
    PINSIGHT_SLICE_CALL,
    /* Waits of Python's; those for the GIL are told when they are over. */
    PINSIGHT_SLICE_GIL = PINSIGHT_SLICE_CALL + READER_DOMAINS, /* id: the function that held it */
    PINSIGHT_SLICE_LOCK,                                       /* id: PINSIGHT_NONE */
    /* Of a task of an event loop, in its track: it runs (id: row of coroutines), it waits (id: the
     * function that does, or PINSIGHT_NONE), and it could run. */
    PINSIGHT_SLICE_STEP,
    PINSIGHT_SLICE_AWAIT,
    PINSIGHT_SLICE_READY,
    PINSIGHT_SLICE_KINDS,
};

struct pinsight_slice {
    uint64_t begin_ns;
    uint64_t self_ns; /* at its end: its time without the slices within it and without pauses */
    uint64_t away_ns; /* its time so far without a processor, with the slices within it */
    uint64_t self_away_ns; /* at its end: without those */
    uint64_t waited_ns; /* of its time as the innermost slice: it is known to have waited so long,
                           also with a processor; before its end it may be said to be more */
    uint64_t ready_ns;  /* of its time as the innermost slice without a processor: it wanted one */
    uint64_t key;       /* what its end is known by: of functions, C calls and imports their depth
                           among their like, of regions and parts the region's number */
    uint64_t out;       /* the first number of the flows that leave it, 0 without */
    uint64_t in;        /* the flow that arrives at its begin, 0 without */
    uint64_t bytes;     /* that an MPI call sends; that a device, or a call of it, copies or sets */
    uint32_t id;        /* by its kind; PINSIGHT_NONE where not known */
    uint32_t path;      /* the Python that native work came from, see paths.h, or PINSIGHT_NONE */
    uint32_t native;    /* the place in native code, see native.h, or PINSIGHT_NONE */
    uint32_t forward; /* of a device and its calls: the Python of the operation that it computes the
                         gradient of; or PINSIGHT_NONE */
    int32_t peer;     /* of an MPI call: destination or root, or source; less than 0 without */
    int32_t tag;
    uint32_t outs; /* how many numbers may leave: of a region one for each member of its team */
    uint32_t correlation; /* of calls and work of a device: what flows them, 0 without */
    struct pinsight_launch_shape shape; /* of a kernel and of its launch, else zero */
    uint8_t kind;                       /* enum pinsight_slice_kind */
    uint8_t how;                        /* of a call: PINSIGHT_HOW_START, _RESUME or _THROW */
    bool cut;                           /* at its end: that was not seen */
    bool for_other;     /* path is that of another thread, which waits for it, see awaits.h */
    uint32_t generator; /* the generator or coroutine that a function is an execution of, known a
                           moment after its begin; 0 where that is not recorded */
    /* The stack's. */
    uint64_t since_ns;    /* begin_ns, later by pauses */
    uint64_t children_ns; /* in slices within */
    uint64_t like_ns;     /* in frames of its chain within */
    uint64_t children_away_ns, like_away_ns;
    uint64_t within_ready_ns; /* ready_ns of slices within that are no frames of a chain */
    uint32_t below; /* the frame of its chain that it is in: place in the stack, plus one */
    uint8_t chain;  /* its domain's, or PINSIGHT_NO_CHAIN */
    /* The payload of Python's. */
    bool folded;        /* node is that of an outer frame, because the tree is full */
    uint32_t node;      /* of the call tree, of imports, or of garbage; or PINSIGHT_NONE */
    uint32_t group;     /* or PINSIGHT_NONE */
    int32_t line;       /* of a function: from which line it was called; 0 where not known */
    uint64_t openmp_ns; /* as in struct pinsight_stats */
};

/* A domain's frames in a stack. */
struct pinsight_chain {
    uint32_t depth;             /* frames, those that were cut as well */
    uint32_t top;               /* the innermost one in the stack: its place plus one; 0 without */
    struct pinsight_slice *cut; /* outermost first */
    size_t cut_count, cut_capacity;
    bool used; /* there was a frame */
};

/* A domain's chain has the domain's number. Imports and collections of garbage have their own. */
enum {
    PINSIGHT_IMPORTS = READER_DOMAINS,
    PINSIGHT_COLLECTIONS,
    PINSIGHT_CHAINS,
    PINSIGHT_NO_CHAIN = PINSIGHT_CHAINS
};

/* A begin or an end of what the program marks, which is not in the stack yet; see below. */
struct pinsight_marking {
    uint64_t ns;
    uint32_t name;
    bool ends;
    bool again; /* it began in a frame that has ended: its slice was cut there, and goes on */
};

/* What happens in one thread, or in one stream of a device: its stack. */
struct pinsight_track {
    struct pinsight_thread *thread; /* may come to know its process and name later, see adopt.h;
                                       NULL of a stream */
    const struct pinsight_device_stream *stream; /* NULL of a thread */
    uint32_t number; /* from 1, in the order of the first slices; 0 where nobody looks */
    PINSIGHT_ROOM_OF(struct pinsight_slice, slices); /* the open ones, outermost first */
    size_t marking_count, marking_capacity;
    struct pinsight_marking *markings; /* in their order */
    uint64_t last_ns;
    struct pinsight_chain chains[PINSIGHT_CHAINS];
    void *view; /* the view's own, which it frees in `gone` */
};

/* A slice of which nothing is known. */
extern const struct pinsight_slice pinsight_no_slice;

/* A slice without what not all have. */
static inline struct pinsight_slice pinsight_slice_of(enum pinsight_slice_kind kind, uint32_t id,
                                                      uint64_t key) {
    struct pinsight_slice slice = pinsight_no_slice;

    slice.kind = (uint8_t)kind;
    slice.id = id;
    slice.key = key;
    return slice;
}

/* ---- slices without a chain, of threads that somebody looks at ---- */

/* A slice begins in a thread; begin_ns is set. `slice` is copied. */
void pinsight_slice_begin(struct pinsight_thread *thread, const struct pinsight_slice *slice,
                          uint64_t ns);

/* The innermost slice of a kind and key ends, and before it those within it. Nothing where there is
 * none. */
void pinsight_slice_end(struct pinsight_thread *thread, enum pinsight_slice_kind kind, uint64_t key,
                        uint64_t ns);

/* How many slices are open down to the innermost of a kind and key; 0: there is none. */
size_t pinsight_slice_place(const struct pinsight_track *track, enum pinsight_slice_kind kind,
                            uint64_t key);

/* The innermost slice of a kind and key sends more than its begin said. Nothing where there is
 * none. */
void pinsight_slice_add_bytes(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                              uint64_t key, uint64_t bytes);

/* The innermost slice of a kind and key waits for so long, PINSIGHT_WAITS_ALWAYS for all of its
 * time. Nothing where there is none. */
#define PINSIGHT_WAITS_ALWAYS UINT64_MAX
void pinsight_slice_set_wait(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                             uint64_t key, uint64_t ns);

/* The Python of what is open in a track, which may not be the thread's own: that of a region that
 * it has a part in. PINSIGHT_NONE where there is none; `track` may be NULL. */
uint32_t pinsight_track_path(const struct pinsight_track *track);

/* ---- chains; how their frames begin and end is in frame.h ---- */

/* The innermost frame of a chain, and the one that a frame of it is in; or NULL. */
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

/* The innermost frame of a chain is no frame of it any more. In the stack it ends with what it is
 * in. */
void pinsight_chain_drop(struct pinsight_thread *thread, unsigned chain);

/* The frames of a chain are another thread's from now on. Nothing where that has had some. */
void pinsight_chain_move(struct pinsight_thread *from, struct pinsight_thread *to, unsigned chain);

/* Whether a thread has frames of any chain. */
bool pinsight_stack_has_frames(const struct pinsight_thread *thread);

/* ---- what the program marks ----
 *
 * A part of the program is marked by calls, such as those of a context manager's __enter__ and
 * __exit__, in whose frames the begin and the end are seen. It is not within those. So both wait:
 * frames that end meanwhile end without it, and it is put into the stack, or taken from there,
 * before anything else begins. A part that goes on when a frame ends in which it is in the stack is
 * cut there, and goes on in a slice of its own. */

/* A part of that name begins in a thread; the innermost one ends. Nothing where there is none. */
void pinsight_marked_begin(struct pinsight_thread *thread, uint32_t name, uint64_t ns);
void pinsight_marked_end(struct pinsight_thread *thread, uint32_t name, uint64_t ns);

/* What waits is put into the stack now. */
void pinsight_marked_settle(struct pinsight_track *track);

/* A frame ends that leaves the outermost `depth` slices: what is within it ends, or goes on. */
void pinsight_marked_leave(struct pinsight_track *track, size_t depth, uint64_t ns);

/* ---- all of a stack ---- */

/* A thread's, made at its first mention; and with a number, from its first slice on; and with room
 * for one more. */
struct pinsight_track *pinsight_stack_of(struct pinsight_thread *thread);
struct pinsight_track *pinsight_stack_used(struct pinsight_thread *thread);
struct pinsight_track *pinsight_stack_room(struct pinsight_thread *thread);

/* The program was held: what is open in a thread and began before a time takes so much less. */
void pinsight_stack_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

/* What is open in a thread is told to have ended. The frames of chains are cut. */
void pinsight_track_close(struct pinsight_thread *thread, uint64_t ns);

/* Ends what is within the outermost `depth` slices of a track, which have not ended yet. */
void pinsight_track_cut(struct pinsight_track *track, size_t depth, uint64_t ns);

/* A slice begins, and the innermost one ends. */
void pinsight_track_push(struct pinsight_track *track, const struct pinsight_slice *slice,
                         uint64_t ns);
void pinsight_track_pop(struct pinsight_track *track, uint64_t ns);

/* The time of something in a track, in which time does not run back. */
static inline uint64_t pinsight_track_time(struct pinsight_track *track, uint64_t ns) {
    if (ns < track->last_ns)
        return track->last_ns;
    track->last_ns = ns;
    return ns;
}

/* The process of a track, as is known now. */
static inline struct pinsight_process *pinsight_track_process(const struct pinsight_track *track) {
    return track->thread ? track->thread->process : track->stream->process;
}

#endif
