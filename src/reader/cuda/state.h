/* What the parts of the model's CUDA share; see cuda.h. */
#ifndef PINSIGHT_READER_CUDA_STATE_H
#define PINSIGHT_READER_CUDA_STATE_H

#include "base/slab.h"
#include "reader/cuda/cuda.h"
#include "reader/kit/numbers.h"
#include "reader/timeline.h"

/* Bytes that names of kernels may come out as together, when they are no more mangled; what is left
 * stays as it is. */
#define PINSIGHT_CUDA_NAMES (UINT64_C(64) << 20)

/* A call that records may name. */
struct pinsight_cuda_asked {
    struct pinsight_pool_item item; /* by correlation */
    struct pinsight_cuda_asked *before, *after;
    struct pinsight_track *from; /* NULL where nobody looks */
    uint64_t from_ns, number;    /* of the flow */
    uint32_t site, tid;
    bool again;    /* there was another call with the number */
    bool worked;   /* a device did something for it */
    bool met;      /* a record named it */
    bool captured; /* its stream was being captured: there may be nothing to record */
};

/* The one that was heard of longest ago first. */
struct pinsight_cuda_list {
    struct pinsight_cuda_asked *first, *last;
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

/* Those of one stream, in the order of their ends. */
struct pinsight_cuda_syncs {
    struct pinsight_cuda_sync *done;
    size_t count, capacity;
};

/* What is kept of a process. */
struct pinsight_cuda_process {
    struct pinsight_pool calls;         /* that records may still name */
    struct pinsight_cuda_list lists[2]; /* of them; those that records named are [1] */
    struct pinsight_numbers kernels;    /* to kinds of work */
    struct pinsight_cuda_capture captures[PINSIGHT_CUDA_CAPTURES];
    size_t capture_count;
    struct pinsight_cuda_sync waiting[PINSIGHT_CUDA_OPEN_SYNCS]; /* calls that did not return yet */
    size_t waiting_count;
    struct pinsight_map sync_map; /* context and stream, to an index into syncs */
    struct pinsight_cuda_syncs *syncs;
    size_t sync_count, sync_capacity;
};

/* Made at its first mention. */
struct pinsight_cuda_process *pinsight_cuda_process_of(struct pinsight_process *process);

/* A record that is held back. */
struct pinsight_cuda_held {
    uint64_t from_ns, to_ns, order;
    uint64_t bytes;
    struct pinsight_flow flow; /* with `from` NULL where there is none */
    uint32_t work, correlation;
    uint32_t site; /* or PINSIGHT_NONE */
    bool first;    /* of its call's */
    struct pinsight_launch_shape shape;
};

/* The innermost call of a thread answers to a number from now on; calls that nobody answered so
 * long are forgotten. */
void pinsight_cuda_ask(struct pinsight_process *process, const struct pinsight_thread *thread,
                       uint32_t correlation, bool captured);
/* It failed: nothing will come. */
void pinsight_cuda_unask(struct pinsight_process *process, uint32_t correlation, uint64_t number);
/* The call that a record names, or NULL. */
struct pinsight_cuda_asked *pinsight_cuda_answer(struct pinsight_process *process,
                                                 uint32_t correlation);
void pinsight_cuda_forget_calls(struct pinsight_process *process);

/* A thread begins to capture a stream; it could not; a capture ends. */
void pinsight_cuda_capture(struct pinsight_process *process, const struct pinsight_thread *thread,
                           uint32_t context, uint32_t stream);
void pinsight_cuda_capture_failed(struct pinsight_process *process,
                                  const struct pinsight_thread *thread);
void pinsight_cuda_capture_ends(struct pinsight_process *process, uint32_t context,
                                uint32_t stream);
/* Whether what a thread puts into a stream is captured. */
bool pinsight_cuda_is_captured(const struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t context,
                               uint32_t stream);

/* A thread begins to wait for a stream of a context, or for all; and ends it, with success or not.
 */
void pinsight_cuda_sync_begins(struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t context,
                               uint32_t stream, uint64_t ns);
void pinsight_cuda_sync_ends(struct pinsight_process *process, const struct pinsight_thread *thread,
                             bool waited, uint64_t ns);
/* When what a call asked for was done, as its thread knows, which waited for it; UINT64_MAX where
 * it did not. */
uint64_t pinsight_cuda_done_by(const struct pinsight_process *process, uint32_t context,
                               uint32_t stream, const struct pinsight_cuda_asked *call);
void pinsight_cuda_sync_clear(struct pinsight_cuda_process *cuda);

/* Tells all that is held back of a stream. */
void pinsight_cuda_flush(struct pinsight_cuda_stream *stream);

/* ---- ingest.c ---- */

struct pinsight_event;

/* Takes any event of the domain CUDA. */
void pinsight_ingest_cuda(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread that an event of CUDA tells of; NULL of a record of what a device did. */
struct pinsight_thread *pinsight_cuda_event_thread(struct pinsight_model *model,
                                                   const struct pinsight_event *event);

#endif
