/* Shared by the parts of the model's CUDA; see cuda.h. */
#ifndef PINSIGHT_READER_CUDA_STATE_H
#define PINSIGHT_READER_CUDA_STATE_H

#include "base/slab.h"
#include "reader/cuda/cuda.h"
#include "reader/data/numbers.h"
#include "reader/timeline.h"

/* The most bytes of all demangled names of kernels. Further names stay mangled. */
#define PINSIGHT_CUDA_NAMES (UINT64_C(64) << 20)

/* A call that records may name. */
struct pinsight_cuda_request {
    struct pinsight_pool_item item; /* by correlation */
    struct pinsight_cuda_request *before, *after;
    struct pinsight_track *from; /* NULL without a listener */
    uint64_t from_ns, number;    /* of the flow */
    uint32_t site, tid;
    bool again;    /* another call had the number before */
    bool worked;   /* a device has worked for it */
    bool met;      /* a record has named it */
    bool captured; /* its stream was being captured, so there may be no record */
};

/* A list of calls, least recently used first. */
struct pinsight_cuda_list {
    struct pinsight_cuda_request *first, *last;
    size_t count;
};

/* A stream that is being captured, and the thread that began it. */
struct pinsight_cuda_capture {
    uint32_t tid, context, stream;
};
#define PINSIGHT_CUDA_CAPTURES 16

/* A call that waited for a stream of a context, or for all (PINSIGHT_CUDA_NO_STREAM). */
struct pinsight_cuda_sync {
    uint64_t begin_ns, end_ns;
    uint32_t tid, context, stream;
};
#define PINSIGHT_CUDA_OPEN_SYNCS 64

/* Waits for one stream, in the order of their ends. */
struct pinsight_cuda_syncs {
    struct pinsight_cuda_sync *done;
    size_t count, capacity;
};

/* The data of a process. */
struct pinsight_cuda_process {
    struct pinsight_pool calls;         /* calls that records may still name */
    struct pinsight_cuda_list lists[2]; /* their lists; [1] has those that records have named */
    struct pinsight_numbers kernels;    /* by number, to kinds of work */
    struct pinsight_cuda_capture captures[PINSIGHT_CUDA_CAPTURES];
    size_t capture_count;
    struct pinsight_cuda_sync waiting[PINSIGHT_CUDA_OPEN_SYNCS]; /* calls that have not returned */
    size_t waiting_count;
    struct pinsight_map sync_map; /* by context and stream, to an index of syncs */
    struct pinsight_cuda_syncs *syncs;
    size_t sync_count, sync_capacity;
};

/* Returns the data of a process. Makes it at the first call. */
struct pinsight_cuda_process *pinsight_cuda_process_of(struct pinsight_process *process);

/* A record that is held back. */
struct pinsight_cuda_held {
    uint64_t from_ns, to_ns, order;
    uint64_t bytes;
    struct pinsight_flow flow; /* `from` is NULL without a flow */
    uint32_t work, correlation;
    uint32_t site; /* or PINSIGHT_NONE */
    bool first;    /* the first of its call */
    struct pinsight_launch_shape shape;
};

/* Lets the innermost call of a thread answer to a number from now on. Frees the oldest unanswered
 * calls. */
void pinsight_cuda_request_add(struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t correlation,
                               bool captured);
/* Withdraws a call that failed, and will have no records. */
void pinsight_cuda_request_withdraw(struct pinsight_process *process, uint32_t correlation,
                                    uint64_t number);
/* Returns the call that a record names, or NULL. */
struct pinsight_cuda_request *pinsight_cuda_request_find(struct pinsight_process *process,
                                                         uint32_t correlation);
void pinsight_cuda_forget_calls(struct pinsight_process *process);

/* Note that a thread begins to capture a stream; that it failed; and that a capture ends. */
void pinsight_cuda_capture(struct pinsight_process *process, const struct pinsight_thread *thread,
                           uint32_t context, uint32_t stream);
void pinsight_cuda_capture_failed(struct pinsight_process *process,
                                  const struct pinsight_thread *thread);
void pinsight_cuda_capture_ends(struct pinsight_process *process, uint32_t context,
                                uint32_t stream);
/* Returns whether work that a thread puts into a stream is captured. */
bool pinsight_cuda_is_captured(const struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t context,
                               uint32_t stream);

/* Note that a thread begins to wait for a stream of a context, or for all; and that it ends, with
 * or without success. */
void pinsight_cuda_sync_begins(struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t context,
                               uint32_t stream, uint64_t ns);
void pinsight_cuda_sync_ends(struct pinsight_process *process, const struct pinsight_thread *thread,
                             bool waited, uint64_t ns);
/* Returns the time at which the work of a call was done, as its thread knows because it waited for
 * it; UINT64_MAX if it did not wait. */
uint64_t pinsight_cuda_done_by(const struct pinsight_process *process, uint32_t context,
                               uint32_t stream, const struct pinsight_cuda_request *call);
void pinsight_cuda_sync_clear(struct pinsight_cuda_process *cuda);

/* Passes on all records of a stream that are held back. */
void pinsight_cuda_flush(struct pinsight_cuda_stream *stream);

/* ---- ingest.c ---- */

struct pinsight_event;

/* Takes any event of the domain CUDA. */
void pinsight_ingest_cuda(struct pinsight_model *model, const struct pinsight_event *event);

/* Returns the thread of an event of CUDA; NULL for a record of a device's work. */
struct pinsight_thread *pinsight_cuda_event_thread(struct pinsight_model *model,
                                                   const struct pinsight_event *event);

#endif
