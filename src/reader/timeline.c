/* The run as it happens; see timeline.h. */
#include "reader/timeline.h"

#include "reader/mem.h"

#include <stdlib.h>

void pinsight_model_show(struct pinsight_model *model, struct pinsight_timeline *timeline) {
    timeline->tracks = 0;
    timeline->links = 0;
    model->timeline = timeline;
}

struct pinsight_track *pinsight_track_of(struct pinsight_thread *thread) {
    struct pinsight_timeline *timeline = thread->process->model->timeline;

    if (!timeline || !thread->selected)
        return NULL;
    if (!thread->track) {
        thread->track = pinsight_calloc(1, sizeof(*thread->track));
        thread->track->thread = thread;
        thread->track->number = ++timeline->tracks;
    }
    return thread->track;
}

/* Time does not run back in a track. */
static uint64_t take_time(struct pinsight_track *track, uint64_t ns) {
    if (ns < track->last_ns)
        return track->last_ns;
    track->last_ns = ns;
    return ns;
}

void pinsight_slice_begin(struct pinsight_thread *thread, const struct pinsight_slice *slice,
                          uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);
    const struct pinsight_timeline *timeline = thread->process->model->timeline;
    struct pinsight_slice *own;

    if (!track)
        return;
    track->slices =
        pinsight_grow(track->slices, track->depth, &track->capacity, sizeof(*track->slices));
    own = &track->slices[track->depth++];
    *own = *slice;
    own->begin_ns = take_time(track, ns);
    own->cut = false;
    if (timeline->begin)
        timeline->begin(timeline->data, track, own);
}

static void pop(struct pinsight_track *track, bool cut, uint64_t ns) {
    const struct pinsight_timeline *timeline = track->thread->process->model->timeline;
    struct pinsight_slice *slice = &track->slices[track->depth - 1];

    slice->cut = cut;
    if (timeline->end)
        timeline->end(timeline->data, track, slice, ns);
    track->depth--;
}

static bool is_python(unsigned kind) {
    return kind == PINSIGHT_SLICE_FUNCTION || kind == PINSIGHT_SLICE_C_CALL;
}

static bool is_one(const struct pinsight_slice *slice, enum pinsight_slice_kind kind,
                   uint64_t key) {
    return slice->key == key &&
           (slice->kind == kind || (is_python(kind) && is_python(slice->kind)));
}

void pinsight_slice_end(struct pinsight_thread *thread, enum pinsight_slice_kind kind, uint64_t key,
                        uint64_t ns) {
    struct pinsight_track *track = thread->track;
    size_t at;

    if (!track)
        return;
    for (at = track->depth; at > 0 && !is_one(&track->slices[at - 1], kind, key); at--)
        continue;
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

void pinsight_track_free(struct pinsight_thread *thread) {
    struct pinsight_track *track = thread->track;
    const struct pinsight_timeline *timeline;

    if (!track)
        return;
    timeline = thread->process->model->timeline;
    pinsight_track_close(thread, track->last_ns);
    if (timeline && timeline->gone)
        timeline->gone(timeline->data, track);
    free(track->slices);
    free(track);
    thread->track = NULL;
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
