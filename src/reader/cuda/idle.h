/*
 * Idle times of devices: times between the first and the last work of a device in which no stream
 * of any context or process has work.
 *
 * Records of work come late, and those of different streams in no order. Therefore work is
 * collected, and sorted when PINSIGHT_CUDA_PENDING pieces of a device have come. The earlier half
 * is then settled, and its gaps are passed on to the model's listener (struct pinsight_timeline).
 * The rest is settled at the end of the trace. Work that comes after its time was settled is only
 * counted. Part of the model; not thread-safe.
 */
#ifndef PINSIGHT_READER_CUDA_IDLE_H
#define PINSIGHT_READER_CUDA_IDLE_H

#include "reader/data/histogram.h"
#include "reader/timeline.h"

#define PINSIGHT_CUDA_PENDING ((size_t)1 << 17)

struct pinsight_cuda;

/* Work of a device that has not been settled. */
struct pinsight_cuda_pending {
    uint64_t begin_ns, end_ns;
    uint64_t asked_ns; /* begin of the call that requested it; begin_ns if unknown */
    uint32_t track;    /* number of the call's track; 0: unknown */
    uint32_t site;     /* of the call; or PINSIGHT_NONE */
    uint32_t process;  /* index */
};

/* The description of a device; 0: unknown. */
struct pinsight_cuda_device_info {
    uint32_t name, uuid, bus; /* strings */
    uint32_t multiprocessors;
    uint32_t compute[2]; /* capability: before and after the point */
    uint64_t memory;     /* bytes */
};

/* A device of a host, for all processes that use it. Times are of the whole device. */
struct pinsight_cuda_device {
    uint32_t process; /* index of the first process that used it */
    uint32_t number;  /* its number in that process */
    struct pinsight_cuda_device_info info;
    uint64_t works; /* settled pieces of work */
    uint64_t first_ns, last_ns, busy_ns, idle_ns;
    uint64_t gaps, longest_ns;
    uint64_t late; /* pieces of work that came after their time was settled */
    uint64_t latencies, latency_min_ns, latency_max_ns;
    struct pinsight_histogram *latency; /* times from a call's begin to its first work's begin */
    uint64_t queues, queue_sum,
        queue_max; /* at calls: pieces of work before theirs in the stream */
    struct pinsight_cuda_pending *pending;
    size_t pending_count, pending_capacity;
    uint64_t begun_ns; /* the last settled begin */
};

/* ---- device.c ---- */

/* Takes a device_info event: a process's description of the device with a number. */
void pinsight_cuda_device_info(struct pinsight_process *process, uint32_t number,
                               const struct pinsight_cuda_device_info *info);
/* Returns the number of a string, or 0 if the process does not know it ("?"). */
uint32_t pinsight_cuda_known_string(struct pinsight_model *model, const char *text);

/* Returns the index of the device with a number in a process. Makes it at the first call. */
uint32_t pinsight_cuda_device_of(const struct pinsight_process *process, uint32_t number);

/* ---- idle.c ---- */

/* Adds work of a device. It may come in any order. */
void pinsight_cuda_device_worked(struct pinsight_model *model, uint32_t device,
                                 const struct pinsight_cuda_pending *work);

/* Adds the time from a call's begin to the begin of its first work. */
void pinsight_cuda_device_latency(struct pinsight_cuda *cuda, uint32_t device, uint64_t ns);

/* Adds the number of pieces of work that were queued in the stream of a call. */
void pinsight_cuda_device_queue(struct pinsight_cuda *cuda, uint32_t device, uint64_t count);

/* Settles all collected work that began before a time. Returns the earliest time that can still be
 * in a gap: the least settled end of all devices, or 0. */
uint64_t pinsight_cuda_idle_settle(struct pinsight_model *model, uint64_t before_ns);

/* Settles the rest at the end of the trace. */
void pinsight_cuda_idle_finish(struct pinsight_model *model);
void pinsight_cuda_idle_free(struct pinsight_cuda *cuda);

#endif
