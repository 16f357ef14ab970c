/* Reports the run to a view; see timeline.h. */
#include "reader/timeline.h"

#include "reader/simultaneous.h"

#include "base/memory.h"

#include <stdlib.h>

void pinsight_model_show(struct pinsight_model *model, struct pinsight_timeline *timeline) {
    timeline->tracks = 0;
    timeline->flows = 0;
    model->timeline = timeline;
}

struct pinsight_track *pinsight_stack_of(struct pinsight_thread *thread) {
    if (!thread->track) {
        thread->track = pinsight_calloc(1, sizeof(*thread->track));
        thread->track->thread = thread;
    }
    return thread->track;
}

struct pinsight_track *pinsight_stack_used(struct pinsight_thread *thread) {
    struct pinsight_timeline *timeline = thread->process->model->timeline;
    struct pinsight_track *track = pinsight_stack_of(thread);

    if (timeline && !track->number)
        track->number = ++timeline->tracks;
    return track;
}

struct pinsight_track *pinsight_track_of(struct pinsight_thread *thread) {
    struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!timeline || !thread->selected)
        return NULL;
    return pinsight_stack_used(thread);
}

struct pinsight_track *pinsight_stream_track(struct pinsight_device_stream *stream) {
    struct pinsight_timeline *timeline = stream->process->model->timeline;

    bool is_wanted = timeline && (stream->is_task     ? timeline->tasks
                                  : stream->is_ranges ? timeline->ranges
                                                      : timeline->streams);

    if (!is_wanted || !stream->process->selected)
        return NULL;
    if (!stream->track) {
        stream->track = pinsight_calloc(1, sizeof(*stream->track));
        stream->track->stream = stream;
        stream->track->number = ++timeline->tracks;
    }
    return stream->track;
}

void pinsight_track_move(struct pinsight_thread *from, struct pinsight_thread *to, uint64_t ns) {
    struct pinsight_track *old = from->track, *track = old ? pinsight_track_of(to) : NULL;

    if (old)
        pinsight_marked_settle(old);
    for (size_t i = 0; track && i < old->depth; i++) {
        struct pinsight_slice slice = old->slices[i];

        slice.in = 0; /* the flow arrived in the other track */
        pinsight_track_push(track, &slice, ns);
    }
    pinsight_track_close(from, ns);
}

static void free_track(struct pinsight_track *track) {
    struct pinsight_model *model = pinsight_track_process(track)->model;
    const struct pinsight_timeline *timeline = model->timeline;

    if (timeline && timeline->gone)
        timeline->gone(timeline->data, track);
    for (size_t i = 0; i < PINSIGHT_CHAINS; i++)
        free(track->chains[i].cut);
    pinsight_stack_pool_drop(&model->rooms, &track->room);
    free(track->markings);
    free(track);
}

void pinsight_track_free(struct pinsight_thread *thread) {
    if (!thread->track)
        return;
    pinsight_track_close(thread, thread->track->last_ns);
    free_track(thread->track);
    thread->track = NULL;
}

void pinsight_stream_work(struct pinsight_device_stream *stream, struct pinsight_slice *slice,
                          struct pinsight_flow *flow, uint64_t from_ns, uint64_t to_ns) {
    struct pinsight_track *track = pinsight_stream_track(stream);

    stream->process->model->device_work++;
    if (!track)
        return;
    slice->in = 0;
    if (flow && flow->from && flow->number) {
        flow->to = track;
        flow->to_ns = from_ns;
        slice->in = flow->number;
        pinsight_flow_made(stream->process->model, flow);
    }
    pinsight_track_push(track, slice, from_ns);
    pinsight_track_pop(track, to_ns);
}

void pinsight_stream_track_free(struct pinsight_device_stream *stream) {
    if (stream->track)
        free_track(stream->track);
    stream->track = NULL;
}

uint64_t pinsight_flow_numbers(struct pinsight_model *model, uint32_t count) {
    uint64_t first;

    if (!model->timeline)
        return 0;
    first = model->timeline->flows + 1;
    model->timeline->flows += count;
    return first;
}

void pinsight_flow_made(struct pinsight_model *model, const struct pinsight_flow *flow) {
    const struct pinsight_timeline *timeline = model->timeline;
    struct pinsight_flow told = *flow;

    told.from_ns = pinsight_cause_ns(flow->from_ns, flow->to_ns);
    if (timeline && timeline->flow && flow->from && flow->to && flow->number)
        timeline->flow(timeline->data, &told);
}

void pinsight_track_operation(struct pinsight_thread *thread,
                              const struct pinsight_mpi_operation *operation, uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);
    const struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!track)
        return;
    ns = pinsight_track_time(track, ns);
    if (timeline->operation)
        timeline->operation(timeline->data, track, operation, ns);
}

void pinsight_track_instant(struct pinsight_thread *thread, const char *name, uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);
    const struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!track)
        return;
    pinsight_marked_settle(track);
    ns = pinsight_track_time(track, ns);
    if (timeline->instant)
        timeline->instant(timeline->data, track, name, ns);
}

void pinsight_track_value(struct pinsight_thread *thread, const char *name, double value,
                          uint64_t ns) {
    const struct pinsight_timeline *timeline = thread->process->model->timeline;
    struct pinsight_track *track = timeline->value ? pinsight_track_of(thread) : NULL;

    if (!timeline->value)
        pinsight_track_instant(thread, name, ns);
    if (!track)
        return;
    pinsight_marked_settle(track);
    timeline->value(timeline->data, track, name, value, pinsight_track_time(track, ns));
}
