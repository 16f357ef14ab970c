/* The run as it happens: what each thread is in, slice by slice, Python and native work nested in
 * each other, and flows from one slice to another. For views that show a run along its time.
 *
 * A view gives its functions to the model (pinsight_model_show) before the first event; the model
 * calls them while it is fed. What it tells holds whatever the trace is like: in each track times
 * do not run back, each begin has its end, and an end is that of the innermost open slice. What is
 * kept is what is open, not what was. Not thread-safe.
 *
 * Streams of devices are tracks too, for a view that asks for them (`streams`); those of ranges
 * (`ranges`) are like them. What they did is
 * known late: when the record of it arrives, which is after other things were told that were later.
 * So between a stream's track and others there is no order. In a stream's track there is: the model
 * holds some records back, tells the earliest first (the flow to it, its begin and its end, one
 * after the other, so that nothing ever stays open there), and what comes later still, or begins
 * before its predecessor in the stream was done, is told with a later begin, or with no length;
 * its domain counts how often. */
#ifndef PINSIGHT_READER_TIMELINE_H
#define PINSIGHT_READER_TIMELINE_H

#include "reader/stack.h"

enum pinsight_flow_kind {
    PINSIGHT_FLOW_TEAM,    /* from a region to a thread's part of it */
    PINSIGHT_FLOW_MESSAGE, /* from an MPI call that sends to the one in which it is received */
    PINSIGHT_FLOW_LAUNCH,  /* from a call to work that a stream did for it. The call has ended,
                              as a rule; all work of one call has the call's one number */
};

struct pinsight_flow {
    uint64_t number; /* among the slice's that it leaves, see `out` */
    uint64_t from_ns, to_ns;
    uint64_t bytes;
    struct pinsight_track *from, *to;
    uint8_t kind; /* enum pinsight_flow_kind */
};

enum pinsight_mpi_operation_kind {
    PINSIGHT_MPI_OPERATION_SEND,
    PINSIGHT_MPI_OPERATION_SEND_DONE, /* only with a request */
    PINSIGHT_MPI_OPERATION_POST,      /* a receive with a request */
    PINSIGHT_MPI_OPERATION_RECEIVE,   /* a message was received */
    PINSIGHT_MPI_OPERATION_COLLECTIVE,
    PINSIGHT_MPI_OPERATION_COLLECTIVE_DONE,
    PINSIGHT_MPI_OPERATION_CANCELLED, /* what its request was made for */
};

/* What an MPI call does for its rank: a message or collective operation begins or is done. It is
 * told while the call is open. That of a non-blocking call is told where the call ends, for the
 * request is known then; that of a persistent request where it is started. */
struct pinsight_mpi_operation {
    uint64_t request;  /* by which what follows is known, within the process; 0 for none */
    uint64_t bytes;    /* sent; of a receive what was received */
    uint64_t received; /* of a collective operation */
    uint32_t function; /* see mpi.h: of the call that sends, receives…, not that which completes */
    uint32_t comm;     /* index among the model's; PINSIGHT_NONE: a receive posted without one */
    uint32_t me;       /* member of it */
    int32_t peer; /* destination, source or root as the call has it: a rank (of an intercommunicator
                     in the other group), PINSIGHT_MPI_PROC_NULL or _ROOT */
    int32_t tag;
    uint8_t kind; /* enum pinsight_mpi_operation_kind */
};

/* A device did nothing, until work began that a call asked for. */
struct pinsight_idle {
    uint32_t device;  /* index among those that its domain knows */
    uint32_t process; /* index: of the call */
    uint32_t track;   /* of the call, by its number; 0 where it is not known */
    uint32_t site;    /* of the call, as its slice has it, and the Python that it came from; */
    uint32_t path;    /* or PINSIGHT_NONE */
    uint64_t begin_ns, end_ns;
    uint64_t asked_ns; /* when the call began, not after end_ns */
};

/* A view's functions; each may be NULL. `data` is the view's. */
struct pinsight_timeline {
    void *data;
    bool streams;   /* tell of tracks of devices, and of flows to them */
    bool ranges;    /* tell of tracks of a process's ranges; see core/ranges.h */
    bool tasks;     /* likewise of tasks of event loops; see python/task_tracks.h */
    bool any_order; /* what Python does in one track may be told before what is earlier in others */
    /* A slice begins: it is the innermost of the track already. */
    void (*begin)(void *data, struct pinsight_track *track, const struct pinsight_slice *slice);
    /* The innermost slice ends. */
    void (*end)(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                uint64_t ns);
    /* A slice of Python, innermost in the track and with nothing in it: told by this in place of
     * `begin` and `end`. NULL where these are to be called. */
    void (*leaf)(void *data, struct pinsight_track *track, enum pinsight_slice_kind kind,
                 uint32_t id, int32_t line, uint64_t begin_ns, uint64_t ns);
    /* Work leads to other work; `to` is in the slice that it arrives in, and will begin it where
     * that has the number as `in`. */
    void (*flow)(void *data, const struct pinsight_flow *flow);
    void (*operation)(void *data, struct pinsight_track *track,
                      const struct pinsight_mpi_operation *operation, uint64_t ns);
    /* Something without a length: a mark of the program's. */
    void (*instant)(void *data, struct pinsight_track *track, const char *name, uint64_t ns);
    /* Told late, and of each device in the order of time. */
    void (*idle)(void *data, const struct pinsight_idle *idle);
    /* A track's thread or stream is forgotten; all its slices have ended. */
    void (*gone)(void *data, struct pinsight_track *track);

    /* The model's own. */
    uint32_t tracks;
    uint64_t flows;
};

/* The model tells this view from now on; it outlives the model. */
void pinsight_model_show(struct pinsight_model *model, struct pinsight_timeline *timeline);

/* ---- for the parts of the model; what begins and ends is in stack.h ---- */

/* The track of a thread, made at its first mention; NULL where nobody looks, or the thread is not
 * among those that are looked at. */
struct pinsight_track *pinsight_track_of(struct pinsight_thread *thread);

/* What is open in a thread's track ends there, and goes on in another thread's. */
void pinsight_track_move(struct pinsight_thread *from, struct pinsight_thread *to, uint64_t ns);

void pinsight_track_free(struct pinsight_thread *thread);

/* The track of a stream, made at its first mention; NULL where nobody asks for it. */
struct pinsight_track *pinsight_stream_track(struct pinsight_device_stream *stream);

/* A stream did something: from_ns is not before the track's last_ns, nor after to_ns. The flow to
 * it is `flow`, without `to` and times of arrival, or NULL. Sets begin_ns and `in`. */
void pinsight_stream_work(struct pinsight_device_stream *stream, struct pinsight_slice *slice,
                          struct pinsight_flow *flow, uint64_t from_ns, uint64_t to_ns);
void pinsight_stream_track_free(struct pinsight_device_stream *stream);

/* So many numbers of flows. */
uint64_t pinsight_flow_numbers(struct pinsight_model *model, uint32_t count);
void pinsight_flow_made(struct pinsight_model *model, const struct pinsight_flow *flow);

void pinsight_track_operation(struct pinsight_thread *thread,
                              const struct pinsight_mpi_operation *operation, uint64_t ns);

void pinsight_track_instant(struct pinsight_thread *thread, const char *name, uint64_t ns);

#endif
