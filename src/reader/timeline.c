/* The run as it happens; see timeline.h. */
#include "reader/timeline.h"

#include "base/memory.h"

#include <stdlib.h>

void pinsight_model_show(struct pinsight_model *model, struct pinsight_timeline *timeline) {
    timeline->tracks = 0;
    timeline->links = 0;
    model->timeline = timeline;
}

static struct pinsight_track *new_track(struct pinsight_timeline *timeline) {
    struct pinsight_track *track = pinsight_calloc(1, sizeof(*track));

    track->number = ++timeline->tracks;
    return track;
}

struct pinsight_track *pinsight_track_of(struct pinsight_thread *thread) {
    struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!timeline || !thread->selected)
        return NULL;
    if (!thread->track) {
        thread->track = new_track(timeline);
        thread->track->thread = thread;
    }
    return thread->track;
}

struct pinsight_track *pinsight_stream_track(struct pinsight_device_stream *stream) {
    struct pinsight_timeline *timeline = stream->process->model->timeline;

    if (!timeline || !timeline->streams || !stream->process->selected)
        return NULL;
    if (!stream->track) {
        stream->track = new_track(timeline);
        stream->track->stream = stream;
    }
    return stream->track;
}

/* Time does not run back in a track. */
static uint64_t take_time(struct pinsight_track *track, uint64_t ns) {
    if (ns < track->last_ns)
        return track->last_ns;
    track->last_ns = ns;
    return ns;
}

static void push(struct pinsight_track *track, const struct pinsight_slice *slice, uint64_t ns) {
    const struct pinsight_timeline *timeline = pinsight_track_process(track)->model->timeline;
    struct pinsight_slice *own;

    own = PINSIGHT_ADD(track->slices, track->depth, track->capacity);
    *own = *slice;
    own->begin_ns = own->since_ns = take_time(track, ns);
    own->children_ns = own->self_ns = 0;
    own->cut = false;
    if (timeline->begin)
        timeline->begin(timeline->data, track, own);
}

void pinsight_slice_begin(struct pinsight_thread *thread, const struct pinsight_slice *slice,
                          uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);

    if (track)
        push(track, slice, ns);
}

static void pop(struct pinsight_track *track, bool cut, uint64_t ns) {
    const struct pinsight_timeline *timeline = pinsight_track_process(track)->model->timeline;
    struct pinsight_slice *slice = &track->slices[track->depth - 1];
    uint64_t time = ns > slice->since_ns ? ns - slice->since_ns : 0;

    slice->cut = cut;
    slice->self_ns = time > slice->children_ns ? time - slice->children_ns : 0;
    if (track->depth > 1)
        slice[-1].children_ns += time;
    if (timeline->end)
        timeline->end(timeline->data, track, slice, ns);
    track->depth--;
}

void pinsight_track_pause(struct pinsight_track *track, uint64_t before_ns, uint64_t pause_ns) {
    for (size_t i = 0; i < track->depth; i++)
        if (track->slices[i].since_ns < before_ns)
            track->slices[i].since_ns += pause_ns;
}

static bool is_python(unsigned kind) {
    return kind == PINSIGHT_SLICE_FUNCTION || kind == PINSIGHT_SLICE_C_CALL;
}

static bool is_one(const struct pinsight_slice *slice, enum pinsight_slice_kind kind,
                   uint64_t key) {
    return slice->key == key &&
           (slice->kind == kind || (is_python(kind) && is_python(slice->kind)));
}

/* How many slices are open down to the innermost of a kind and key; 0: there is none. */
static size_t find(const struct pinsight_track *track, enum pinsight_slice_kind kind,
                   uint64_t key) {
    size_t at = track ? track->depth : 0;

    while (at > 0 && !is_one(&track->slices[at - 1], kind, key))
        at--;
    return at;
}

uint32_t pinsight_track_path(const struct pinsight_track *track) {
    for (size_t i = track ? track->depth : 0; i-- > 0;)
        if (track->slices[i].path != PINSIGHT_NONE)
            return track->slices[i].path;
    return PINSIGHT_NONE;
}

void pinsight_slice_add_bytes(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                              uint64_t key, uint64_t bytes) {
    size_t at = find(thread->track, kind, key);

    if (at)
        thread->track->slices[at - 1].bytes += bytes;
}

void pinsight_slice_end(struct pinsight_thread *thread, enum pinsight_slice_kind kind, uint64_t key,
                        uint64_t ns) {
    struct pinsight_track *track = thread->track;
    size_t at = find(track, kind, key);

    if (!at)
        return;
    ns = take_time(track, ns);
    while (track->depth > at)
        pop(track, true, ns);
    pop(track, false, ns);
}

void pinsight_track_close(struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_track *track = thread->track;

    if (!track || !track->depth)
        return;
    ns = take_time(track, ns);
    while (track->depth)
        pop(track, true, ns);
}

void pinsight_track_move(struct pinsight_thread *from, struct pinsight_thread *to, uint64_t ns) {
    struct pinsight_track *old = from->track, *track = old ? pinsight_track_of(to) : NULL;

    for (size_t i = 0; track && i < old->depth; i++) {
        struct pinsight_slice slice = old->slices[i];

        slice.in = 0; /* what arrived, arrived there */
        push(track, &slice, ns);
    }
    pinsight_track_close(from, ns);
}

static void free_track(struct pinsight_track *track) {
    const struct pinsight_timeline *timeline = pinsight_track_process(track)->model->timeline;

    if (timeline && timeline->gone)
        timeline->gone(timeline->data, track);
    free(track->slices);
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
                          struct pinsight_link *link, uint64_t from_ns, uint64_t to_ns) {
    struct pinsight_track *track = pinsight_stream_track(stream);

    stream->process->model->device_work++;
    if (!track)
        return;
    slice->in = 0;
    if (link && link->from && link->number) {
        link->to = track;
        link->to_ns = from_ns;
        slice->in = link->number;
        pinsight_link_made(stream->process->model, link);
    }
    push(track, slice, from_ns);
    pop(track, false, take_time(track, to_ns));
}

void pinsight_stream_track_free(struct pinsight_device_stream *stream) {
    if (stream->track)
        free_track(stream->track);
    stream->track = NULL;
}

uint64_t pinsight_link_numbers(struct pinsight_model *model, uint32_t count) {
    uint64_t first;

    if (!model->timeline)
        return 0;
    first = model->timeline->links + 1;
    model->timeline->links += count;
    return first;
}

void pinsight_link_made(struct pinsight_model *model, const struct pinsight_link *link) {
    const struct pinsight_timeline *timeline = model->timeline;

    if (timeline && timeline->link && link->from && link->to && link->number)
        timeline->link(timeline->data, link);
}

void pinsight_track_act(struct pinsight_thread *thread, const struct pinsight_mpi_act *act,
                        uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);
    const struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!track)
        return;
    ns = take_time(track, ns);
    if (timeline->act)
        timeline->act(timeline->data, track, act, ns);
}

void pinsight_track_instant(struct pinsight_thread *thread, const char *name, uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);
    const struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!track)
        return;
    ns = take_time(track, ns);
    if (timeline->instant)
        timeline->instant(timeline->data, track, name, ns);
}
