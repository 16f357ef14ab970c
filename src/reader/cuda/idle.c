/* Idle times of devices; see idle.h. */
#include "reader/cuda/idle.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/cuda/state.h"
#include "reader/extremes.h"

#include <stdlib.h>
#include <string.h>

/* Of two pieces with equal begins, the one that was requested first ends the gap before them. */
ORDER(by_begin, struct pinsight_cuda_pending,
      BY(a->begin_ns, b->begin_ns) ?: BY(a->asked_ns, b->asked_ns) ?: BY(a->track, b->track)
          ?: BY(a->site, b->site))

/* Reports the gap between the settled work and a piece of work. */
static void report_gap(struct pinsight_model *model, uint32_t number,
                       const struct pinsight_cuda_pending *work) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(model);
    const struct pinsight_timeline *timeline = model->timeline;
    struct pinsight_cuda_device *device = &cuda->devices[number];
    const struct pinsight_idle gap = {
        .device = number,
        .process = work->process,
        .track = work->track,
        .site = work->site,
        .path = work->site == PINSIGHT_NONE ? PINSIGHT_NONE : cuda->sites[work->site].path,
        .begin_ns = device->last_ns,
        .end_ns = work->begin_ns,
        .asked_ns = work->asked_ns};
    uint64_t ns = gap.end_ns - gap.begin_ns;

    device->idle_ns += ns;
    device->gaps++;
    if (ns > device->longest_ns)
        device->longest_ns = ns;
    if (timeline && timeline->idle)
        timeline->idle(timeline->data, &gap);
}

/* Settles the next work in the order of time. */
static void settle_one(struct pinsight_model *model, uint32_t number,
                       const struct pinsight_cuda_pending *work) {
    struct pinsight_cuda_device *device = &pinsight_model_cuda(model)->devices[number];
    uint64_t from = work->begin_ns;

    if (!device->works++)
        device->first_ns = device->last_ns = from;
    if (from > device->begun_ns)
        device->begun_ns = from;
    if (from > device->last_ns)
        report_gap(model, number, work);
    else
        from = device->last_ns;
    if (work->end_ns > from)
        device->busy_ns += work->end_ns - from;
    if (work->end_ns > device->last_ns)
        device->last_ns = work->end_ns;
}

static void sort(struct pinsight_cuda_device *device) {
    PINSIGHT_SORT(device->pending, device->pending_count, by_begin);
}

/* Settles the first `count` pieces of the sorted work. */
static void settle(struct pinsight_model *model, uint32_t number, size_t count) {
    struct pinsight_cuda_device *device = &pinsight_model_cuda(model)->devices[number];

    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        settle_one(model, number, &device->pending[i]);
    device->pending_count -= count;
    memmove(device->pending, device->pending + count,
            device->pending_count * sizeof(*device->pending));
}

uint64_t pinsight_cuda_idle_settle(struct pinsight_model *model, uint64_t before_ns) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(model);
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; cuda && i < cuda->device_count; i++) {
        struct pinsight_cuda_device *device = &cuda->devices[i];
        size_t count = 0;

        sort(device);
        while (count < device->pending_count && device->pending[count].begin_ns < before_ns)
            count++;
        settle(model, i, count);
        if (device->works && device->last_ns < least)
            least = device->last_ns;
    }
    return least == UINT64_MAX ? 0 : least;
}

void pinsight_cuda_device_worked(struct pinsight_model *model, uint32_t number,
                                 const struct pinsight_cuda_pending *work) {
    struct pinsight_cuda_device *device = &pinsight_model_cuda(model)->devices[number];

    device->late += work->begin_ns < device->begun_ns;
    if (device->pending_count == PINSIGHT_CUDA_PENDING) {
        sort(device);
        settle(model, number, PINSIGHT_CUDA_PENDING / 2);
    }
    *PINSIGHT_ADD(device->pending, device->pending_count, device->pending_capacity) = *work;
}

void pinsight_cuda_device_latency(struct pinsight_cuda *cuda, uint32_t number, uint64_t ns) {
    struct pinsight_cuda_device *device = &cuda->devices[number];

    pinsight_extremes_add(&device->latency_min_ns, &device->latency_max_ns, !device->latencies++,
                          ns, ns);
    pinsight_histogram_add(&device->latency, ns);
}

void pinsight_cuda_device_queue(struct pinsight_cuda *cuda, uint32_t number, uint64_t count) {
    struct pinsight_cuda_device *device = &cuda->devices[number];

    device->queues++;
    device->queue_sum += count;
    if (count > device->queue_max)
        device->queue_max = count;
}

void pinsight_cuda_idle_finish(struct pinsight_model *model) {
    pinsight_cuda_idle_settle(model, UINT64_MAX);
}

void pinsight_cuda_idle_free(struct pinsight_cuda *cuda) {
    for (size_t i = 0; i < cuda->device_count; i++) {
        free(cuda->devices[i].pending);
        pinsight_histogram_free(cuda->devices[i].latency);
    }
    PINSIGHT_FREE(cuda->devices, cuda->device_infos);
    PINSIGHT_MAPS_CLEAR(&cuda->device_map, &cuda->device_info_map);
}
