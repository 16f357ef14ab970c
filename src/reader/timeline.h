/*
 * The run over its time, for views: the slices of each thread, and flows from one slice to another.
 * Slices of Python and of native work are nested in each other.
 *
 * A view passes its functions to the model (pinsight_model_show) before the first event. The model
 * calls them while it is fed. For any trace, the reports of a track are consistent. Times do not
 * run backwards, each begin has its end, and an end belongs to the innermost open slice. The model
 * keeps only open slices. Not thread-safe.
 *
 * Streams of devices are tracks, too, for a view that asks for them (`streams`), and so are ranges
 * (`ranges`). The work of a stream becomes known late, when its record arrives. Then later slices
 * of other tracks have been reported already. So there is no order between the track of a stream
 * and others. Within the track of a stream there is an order. The model holds some records back,
 * and reports the earliest first. The flow, the begin and the end are reported directly after each
 * other, so that no slice stays open. A record may come still later, or begin before its
 * predecessor in the stream was done. Such a record is reported with a later begin, or with no
 * length, and its domain counts this.
 */
#ifndef PINSIGHT_READER_TIMELINE_H
#define PINSIGHT_READER_TIMELINE_H

#include "reader/stack.h"

enum pinsight_flow_kind {
    PINSIGHT_FLOW_TEAM,    /* from a region to a thread's part of it */
    PINSIGHT_FLOW_MESSAGE, /* from an MPI call that sends to the call that receives */
    /* From a call to the work that a stream did for it. Mostly, the call has ended. All work of one
     * call has the same number. */
    PINSIGHT_FLOW_LAUNCH,
    PINSIGHT_FLOW_LOCK, /* from a thread that released a lock to the one that waited for it */
    PINSIGHT_FLOW_KINDS,
};

struct pinsight_flow {
    uint64_t number; /* one of the numbers of the slice that it leaves; see `out` */
    uint64_t from_ns, to_ns;
    uint64_t bytes;
    struct pinsight_track *from, *to;
    uint8_t kind; /* enum pinsight_flow_kind */
};

enum pinsight_mpi_operation_kind {
    PINSIGHT_MPI_OPERATION_SEND,
    PINSIGHT_MPI_OPERATION_SEND_DONE, /* only for a call with a request */
    PINSIGHT_MPI_OPERATION_POST,      /* a receive with a request */
    PINSIGHT_MPI_OPERATION_RECEIVE,   /* a message was received */
    PINSIGHT_MPI_OPERATION_COLLECTIVE,
    PINSIGHT_MPI_OPERATION_COLLECTIVE_DONE,
    PINSIGHT_MPI_OPERATION_CANCELLED, /* the operation of a request was cancelled */
};

/* An operation of an MPI call in its rank: a message or collective operation begins or is done. The
 * operation is reported while the call is open. The operation of a non-blocking call is reported at
 * the end of the call, when the request is known. That of a persistent request is reported at its
 * start. */
struct pinsight_mpi_operation {
    uint64_t request;  /* identifies its later events in the process; 0 if none */
    uint64_t bytes;    /* bytes sent, or received by a receive */
    uint64_t received; /* bytes received by a collective operation */
    /* The call that sends or receives, not the one that completes it; see mpi.h. */
    uint32_t function;
    /* Index in the model's communicators; PINSIGHT_NONE for a receive that was posted without
     * one. */
    uint32_t comm;
    uint32_t me; /* own member number in it */
    /* Destination, source or root from the call: a rank (for an intercommunicator in the other
     * group), PINSIGHT_MPI_PROC_NULL or _ROOT. */
    int32_t peer;
    int32_t tag;
    uint8_t kind; /* enum pinsight_mpi_operation_kind */
};

/* A time in which a device was idle, until work began that a call asked for. */
struct pinsight_idle {
    uint32_t device;  /* index in the devices of its domain */
    uint32_t process; /* index of the call's process */
    uint32_t track;   /* number of the call's track; 0 if unknown */
    uint32_t site;    /* site of the call, as in its slice, and its Python path: */
    uint32_t path;    /* PINSIGHT_NONE if unknown */
    uint64_t begin_ns, end_ns;
    uint64_t asked_ns; /* begin of the call, at most end_ns */
};

/* The functions of a view, of which each may be NULL. `data` is passed to them. */
struct pinsight_timeline {
    void *data;
    bool streams; /* report tracks of devices, and flows to them */
    bool ranges;  /* report tracks of a process's ranges; see tracer/core/ranges.h */
    bool tasks;   /* report tracks of tasks of event loops; see python/task_tracks.h */
    bool locks;   /* report flows of PINSIGHT_FLOW_LOCK, when the wait ends */
    /* Python's slices of one track may be reported before earlier slices of other tracks. */
    bool any_order;
    /* Reports the begin of a slice, which is the innermost of the track already. */
    void (*begin)(void *data, struct pinsight_track *track, const struct pinsight_slice *slice);
    /* Reports the end of the innermost slice. */
    void (*end)(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                uint64_t ns);
    /* Reports an innermost slice of Python without inner slices, in place of `begin` and `end`.
     * NULL if these are to be called. */
    void (*leaf)(void *data, struct pinsight_track *track, enum pinsight_slice_kind kind,
                 uint32_t id, int32_t line, uint64_t begin_ns, uint64_t ns);
    /* Reports a flow from work to other work. `to` is in the slice at which the flow arrives, or
     * begins that slice next, with the flow's number as `in`. */
    void (*flow)(void *data, const struct pinsight_flow *flow);
    void (*operation)(void *data, struct pinsight_track *track,
                      const struct pinsight_mpi_operation *operation, uint64_t ns);
    /* Reports an instant, which the program marked. */
    void (*instant)(void *data, struct pinsight_track *track, const char *name, uint64_t ns);
    /* Reports a value of a counter of the track's process, which the program marked. NULL: the
     * value is reported as an instant. */
    void (*value)(void *data, struct pinsight_track *track, const char *name, double value,
                  uint64_t ns);
    /* Reports the resident memory of a process in bytes. */
    void (*memory)(void *data, const struct pinsight_process *process, uint64_t bytes, uint64_t ns);
    /* Reports an idle time, late, and in order of time for each device. */
    void (*idle)(void *data, const struct pinsight_idle *idle);
    /* Reports that a track's thread or stream is forgotten. All its slices have ended. */
    void (*gone)(void *data, struct pinsight_track *track);

    /* Only for the model: */
    uint32_t tracks;
    uint64_t flows;
};

/* Makes the model report to this view, which must outlive the model. */
void pinsight_model_show(struct pinsight_model *model, struct pinsight_timeline *timeline);

/* ---- for the parts of the model; stack.h begins and ends slices ---- */

/* Returns the track of a thread, which the first call makes. Returns NULL if there is no view, or
 * if the thread is not selected. */
struct pinsight_track *pinsight_track_of(struct pinsight_thread *thread);

/* Ends the open slices of a thread's track, and continues them in another thread's track. */
void pinsight_track_move(struct pinsight_thread *from, struct pinsight_thread *to, uint64_t ns);

/* Ends the open slices of a thread's track, and frees the track, if there is one. */
void pinsight_track_free(struct pinsight_thread *thread);

/* Returns the track of a stream, which the first call makes. Returns NULL if no view asks for
 * it. */
struct pinsight_track *pinsight_stream_track(struct pinsight_device_stream *stream);

/* Reports work of a stream. `from_ns` is not before the track's last_ns, nor after `to_ns`. `flow`
 * is the flow to it, without `to` and arrival time, or NULL. Sets begin_ns and `in` of the
 * slice. */
void pinsight_stream_work(struct pinsight_device_stream *stream, struct pinsight_slice *slice,
                          struct pinsight_flow *flow, uint64_t from_ns, uint64_t to_ns);
void pinsight_stream_track_free(struct pinsight_device_stream *stream);

/* Reserves `count` numbers of flows. Returns the first. */
uint64_t pinsight_flow_numbers(struct pinsight_model *model, uint32_t count);

/* Reports a flow to the view, if there is one. */
void pinsight_flow_made(struct pinsight_model *model, const struct pinsight_flow *flow);

/* Report an operation of MPI, an instant, and a value, in a thread's track, if there is a view. */
void pinsight_track_operation(struct pinsight_thread *thread,
                              const struct pinsight_mpi_operation *operation, uint64_t ns);
void pinsight_track_instant(struct pinsight_thread *thread, const char *name, uint64_t ns);
void pinsight_track_value(struct pinsight_thread *thread, const char *name, double value,
                          uint64_t ns);

#endif
