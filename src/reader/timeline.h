/* The run as it happens: what each thread is in, slice by slice, Python and native work nested in
 * each other, and links from one slice to another. For views that show a run along its time.
 *
 * A view gives its functions to the model (pinsight_model_show) before the first event; the model
 * calls them while it is fed. What it tells holds whatever the trace is like: in each track times
 * do not run back, each begin has its end, and an end is that of the innermost open slice. What is
 * kept is what is open, not what was. Not thread-safe.
 *
 * Streams of devices are tracks too, for a view that asks for them (`streams`). What they did is
 * known late: when the record of it arrives, which is after other things were told that were later.
 * So between a stream's track and others there is no order. In a stream's track there is: the model
 * holds some records back, tells the earliest first (the link to it, its begin and its end, one
 * after the other, so that nothing ever stays open there), and what comes later still, or begins
 * before its predecessor in the stream was done, is told with a later begin, or with no length;
 * its domain counts how often. */
#ifndef PINSIGHT_READER_TIMELINE_H
#define PINSIGHT_READER_TIMELINE_H

#include "reader/model.h"

/* The grid of blocks of threads that a kernel is launched with; all zero is none. */
struct pinsight_launch_shape {
    uint32_t grid[3], block[3];
};

/* A stream of a device: a queue of work beside the threads of a process. The numbers are those of
 * the library that the device is used through. */
struct pinsight_device_stream {
    struct pinsight_process *process;
    uint32_t device, context, number;
    bool other_contexts;          /* the process uses the device in other contexts, too */
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
    /* A call of the runtime of a domain without kinds of its own: PINSIGHT_SLICE_CALL and the
     * domain's number; id: its site. See calls.h. */
    PINSIGHT_SLICE_CALL,
    PINSIGHT_SLICE_KINDS = PINSIGHT_SLICE_CALL + READER_DOMAINS,
};

struct pinsight_slice {
    uint64_t begin_ns;
    uint64_t self_ns; /* at its end: its time without the slices within it and without pauses */
    uint64_t key;     /* what its end is known by: of functions, C calls and imports their depth
                         among their like, of regions and parts the region's number */
    uint64_t out;     /* the first number of the links that leave it, 0 without */
    uint64_t in;      /* the link that arrives at its begin, 0 without */
    uint64_t bytes;   /* that an MPI call sends; that a device, or a call of it, copies or sets */
    uint32_t id;      /* by its kind; PINSIGHT_NONE where not known */
    uint32_t path;    /* the Python that native work came from, see paths.h, or PINSIGHT_NONE */
    uint32_t native;  /* the place in native code, see native.h, or PINSIGHT_NONE */
    int32_t peer;     /* of an MPI call: destination or root, or source; less than 0 without */
    int32_t tag;
    uint32_t outs; /* how many numbers may leave: of a region one for each member of its team */
    uint32_t correlation; /* of calls and work of a device: what links them, 0 without */
    struct pinsight_launch_shape shape; /* of a kernel and of its launch, else zero */
    uint8_t kind;                       /* enum pinsight_slice_kind */
    uint8_t how;                        /* of a function: PINSIGHT_HOW_START, _RESUME or _THROW */
    bool cut;                           /* at its end: that was not seen */
    uint64_t since_ns, children_ns; /* the model's: begin_ns, later by pauses; in slices within */
};

/* What happens in one thread, or in one stream of a device. */
struct pinsight_track {
    struct pinsight_thread *thread; /* may come to know its process and name later, see adopt.h;
                                       NULL of a stream */
    const struct pinsight_device_stream *stream; /* NULL of a thread */
    uint32_t number;                             /* from 1, in the order of the first slices */
    struct pinsight_slice *slices;               /* the open ones, outermost first */
    size_t depth, capacity;
    uint64_t last_ns;
    void *view; /* the view's own, which it frees in `gone` */
};

enum pinsight_link_kind {
    PINSIGHT_LINK_TEAM,    /* from a region to a thread's part of it */
    PINSIGHT_LINK_MESSAGE, /* from an MPI call that sends to the one in which it is received */
    PINSIGHT_LINK_LAUNCH,  /* from a call to work that a stream did for it. The call has ended,
                              as a rule; all work of one call has the call's one number */
};

struct pinsight_link {
    uint64_t number; /* among the slice's that it leaves, see `out` */
    uint64_t from_ns, to_ns;
    uint64_t bytes;
    struct pinsight_track *from, *to;
    uint8_t kind; /* enum pinsight_link_kind */
};

enum pinsight_mpi_act_kind {
    PINSIGHT_MPI_ACT_SEND,
    PINSIGHT_MPI_ACT_SEND_DONE, /* only with a request */
    PINSIGHT_MPI_ACT_POST,      /* a receive with a request */
    PINSIGHT_MPI_ACT_RECEIVE,   /* a message was received */
    PINSIGHT_MPI_ACT_COLLECTIVE,
    PINSIGHT_MPI_ACT_COLLECTIVE_DONE,
    PINSIGHT_MPI_ACT_CANCELLED, /* what its request was made for */
};

/* What an MPI call does for its rank: a message or collective operation begins or is done. It is
 * told while the call is open. That of a non-blocking call is told where the call ends, for the
 * request is known then; that of a persistent request where it is started. */
struct pinsight_mpi_act {
    uint64_t request;  /* by which what follows is known, within the process; 0 for none */
    uint64_t bytes;    /* sent; of a receive what was received */
    uint64_t received; /* of a collective operation */
    uint32_t function; /* see mpi.h: of the call that sends, receives…, not that which completes */
    uint32_t comm;     /* index among the model's; PINSIGHT_NONE: a receive posted without one */
    uint32_t me;       /* member of it */
    int32_t peer; /* destination, source or root as the call has it: a rank (of an intercommunicator
                     in the other group), PINSIGHT_MPI_PROC_NULL or _ROOT */
    int32_t tag;
    uint8_t kind; /* enum pinsight_mpi_act_kind */
};

/* A view's functions; each may be NULL. `data` is the view's. */
struct pinsight_timeline {
    void *data;
    bool streams; /* tell of tracks without a thread, and of links to them */
    /* A slice begins: it is the innermost of the track already. */
    void (*begin)(void *data, struct pinsight_track *track, const struct pinsight_slice *slice);
    /* The innermost slice ends. */
    void (*end)(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                uint64_t ns);
    /* Work leads to other work; `to` is in the slice that it arrives in, and will begin it where
     * that has the number as `in`. */
    void (*link)(void *data, const struct pinsight_link *link);
    void (*act)(void *data, struct pinsight_track *track, const struct pinsight_mpi_act *act,
                uint64_t ns);
    /* Something without a length: a mark of the program's. */
    void (*instant)(void *data, struct pinsight_track *track, const char *name, uint64_t ns);
    /* A track's thread or stream is forgotten; all its slices have ended. */
    void (*gone)(void *data, struct pinsight_track *track);

    /* The model's own. */
    uint32_t tracks;
    uint64_t links;
};

/* The process of a track, as is known now. */
static inline struct pinsight_process *pinsight_track_process(const struct pinsight_track *track) {
    return track->thread ? track->thread->process : track->stream->process;
}

/* The model tells this view from now on; it outlives the model. */
void pinsight_model_show(struct pinsight_model *model, struct pinsight_timeline *timeline);

/* ---- for the parts of the model ---- */

/* A slice without what not all have. */
static inline struct pinsight_slice pinsight_slice_of(enum pinsight_slice_kind kind, uint32_t id,
                                                      uint64_t key) {
    return (struct pinsight_slice){.kind = (uint8_t)kind,
                                   .id = id,
                                   .key = key,
                                   .path = PINSIGHT_NONE,
                                   .native = PINSIGHT_NONE,
                                   .peer = -1,
                                   .tag = -1};
}

/* The track of a thread, made at its first mention; NULL where nobody looks, or the thread is not
 * among those that are looked at. */
struct pinsight_track *pinsight_track_of(struct pinsight_thread *thread);

/* A slice begins in a thread; begin_ns is set. `slice` is copied. */
void pinsight_slice_begin(struct pinsight_thread *thread, const struct pinsight_slice *slice,
                          uint64_t ns);

/* The Python of what is open in a track, which may not be the thread's own: that of a region that
 * it has a part in. PINSIGHT_NONE where there is none; `track` may be NULL. */
uint32_t pinsight_track_path(const struct pinsight_track *track);

/* The innermost slice of a kind and key ends, and before it those within it. Nothing where there is
 * none. Functions and C calls are of one kind here. */
void pinsight_slice_end(struct pinsight_thread *thread, enum pinsight_slice_kind kind, uint64_t key,
                        uint64_t ns);

/* The innermost slice of a kind and key sends more than its begin said. Nothing where there is
 * none. */
void pinsight_slice_add_bytes(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                              uint64_t key, uint64_t bytes);

/* What is open in a thread's track ends there, and goes on in another thread's. */
void pinsight_track_move(struct pinsight_thread *from, struct pinsight_thread *to, uint64_t ns);

/* The program was held: open slices that began before a time take so much less. */
void pinsight_track_pause(struct pinsight_track *track, uint64_t before_ns, uint64_t pause_ns);

/* All slices of a thread end. */
void pinsight_track_close(struct pinsight_thread *thread, uint64_t ns);
void pinsight_track_free(struct pinsight_thread *thread);

/* The track of a stream, made at its first mention; NULL where nobody asks for it. */
struct pinsight_track *pinsight_stream_track(struct pinsight_device_stream *stream);

/* A stream did something: from_ns is not before the track's last_ns, nor after to_ns. The link to
 * it is `link`, without `to` and times of arrival, or NULL. Sets begin_ns and `in`. */
void pinsight_stream_work(struct pinsight_device_stream *stream, struct pinsight_slice *slice,
                          struct pinsight_link *link, uint64_t from_ns, uint64_t to_ns);
void pinsight_stream_track_free(struct pinsight_device_stream *stream);

/* So many numbers of links. */
uint64_t pinsight_link_numbers(struct pinsight_model *model, uint32_t count);
void pinsight_link_made(struct pinsight_model *model, const struct pinsight_link *link);

void pinsight_track_act(struct pinsight_thread *thread, const struct pinsight_mpi_act *act,
                        uint64_t ns);

void pinsight_track_instant(struct pinsight_thread *thread, const char *name, uint64_t ns);

#endif
