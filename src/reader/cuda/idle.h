/* Times in which devices did nothing: between the first and the last work of a device, what no
 * stream of any context or process has work in.
 *
 * Records of work come late, and those of different streams in no order. So work is collected, and
 * put into order when PINSIGHT_CUDA_PENDING pieces of a device have come: the earlier half is
 * settled then, the gaps in it are told to who looks at the model (struct pinsight_timeline), and
 * all others when the trace has ended. Work that comes after its time was settled is counted. Part
 * of the model; not thread-safe. */
#ifndef PINSIGHT_READER_CUDA_IDLE_H
#define PINSIGHT_READER_CUDA_IDLE_H

#include "reader/kit/histogram.h"
#include "reader/timeline.h"

#define PINSIGHT_CUDA_PENDING ((size_t)1 << 17)

struct pinsight_cuda;

/* Work of a device that is not settled yet. */
struct pinsight_cuda_pending {
    uint64_t begin_ns, end_ns;
    uint64_t asked_ns; /* when the call began that asked for it; begin_ns where that is not known */
    uint32_t track;    /* of the call, by its number; 0 where it is not known */
    uint32_t site;     /* of the call; or PINSIGHT_NONE */
    uint32_t process;  /* index */
};

/* What is said of a device; 0 where not known. */
struct pinsight_cuda_device_info {
    uint32_t name, uuid, bus; /* strings */
    uint32_t multiprocessors;
    uint32_t compute[2]; /* capability: before and after the point */
    uint64_t memory;     /* bytes */
};

/* A device of a host, whichever processes use it. Times are of the whole device. */
struct pinsight_cuda_device {
    uint32_t process; /* index: of the first that used it */
    uint32_t number;  /* as CUDA numbers it there */
    struct pinsight_cuda_device_info info;
    uint64_t works; /* that are settled */
    uint64_t first_ns, last_ns, busy_ns, idle_ns;
    uint64_t gaps, longest_ns;
    uint64_t late; /* pieces of work that came after their time was settled */
    uint64_t latencies, latency_min_ns, latency_max_ns;
    struct pinsight_histogram *latency; /* from a call's begin to its first work's */
    uint64_t queues, queue_sum,
        queue_max; /* at calls: pieces of work before theirs in the stream */
    struct pinsight_cuda_pending *pending;
    size_t pending_count, pending_capacity;
    uint64_t begun_ns; /* the last begin that is settled */
};

/* ---- device.c ---- */

/* What a process says of the device with a number in it: a device_info event. */
void pinsight_cuda_device_info(struct pinsight_process *process, uint32_t number,
                               const struct pinsight_cuda_device_info *info);
/* The number of a string; 0 where the process does not know it ("?"). */
uint32_t pinsight_cuda_known_string(struct pinsight_model *model, const char *text);

/* The index of the device that has a number in a process, among the model's; made at its first
 * mention. */
uint32_t pinsight_cuda_device_of(const struct pinsight_process *process, uint32_t number);

/* ---- idle.c ---- */

/* A device worked. The work may come in any order. */
void pinsight_cuda_device_worked(struct pinsight_model *model, uint32_t device,
                                 const struct pinsight_cuda_pending *work);

/* The time from a call's begin to the begin of the first work that it asked for. */
void pinsight_cuda_device_latency(struct pinsight_cuda *cuda, uint32_t device, uint64_t ns);

/* At a call so many pieces of work were asked for in its stream that had not begun. */
void pinsight_cuda_device_queue(struct pinsight_cuda *cuda, uint32_t device, uint64_t count);

/* Settles all work that began before a time, of what has come. Returns the earliest time that may
 * still be in a gap: the least end of what is settled of each device, 0 without. */
uint64_t pinsight_cuda_idle_settle(struct pinsight_model *model, uint64_t before_ns);

/* The trace has ended. */
void pinsight_cuda_idle_finish(struct pinsight_model *model);
void pinsight_cuda_idle_free(struct pinsight_cuda *cuda);

#endif
