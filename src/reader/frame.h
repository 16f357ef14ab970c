/* How frames of chains begin and end (see stack.h): on the way of nearly each event, and therefore
 * to be compiled into who begins and ends them. Not thread-safe. */
#ifndef PINSIGHT_READER_FRAME_H
#define PINSIGHT_READER_FRAME_H

#include "reader/extremes.h"
#include "reader/timeline.h"
#include "reader/waits.h"

/* What a frame took. */
struct pinsight_frame_times {
    uint64_t total_ns;
    uint64_t self_ns;  /* without frames of its chain within it */
    uint64_t away_ns;  /* of self_ns, without a processor */
    uint64_t ready_ns; /* of that, it wanted one */
};

/* Tells of the innermost slice of a track that it began. */
static inline void pinsight_track_reported(struct pinsight_track *track) {
    const struct pinsight_timeline *timeline = pinsight_track_process(track)->model->timeline;

    if (timeline && timeline->begin)
        timeline->begin(timeline->data, track, &track->slices[track->depth - 1]);
}

/* The innermost slice of a track ends: returns how long it took. A frame of a chain is that no
 * longer. */
static inline uint64_t pinsight_track_take_off(struct pinsight_track *track, bool cut,
                                               uint64_t ns) {
    const struct pinsight_timeline *timeline = pinsight_track_process(track)->model->timeline;
    struct pinsight_slice *slice = &track->slices[track->depth - 1];
    uint64_t time = pinsight_time_rest(ns, slice->since_ns);

    slice->cut = cut;
    slice->self_ns = pinsight_time_rest(time, slice->children_ns);
    if (__builtin_expect(slice->waited_ns != 0, 0))
        pinsight_waits_known(track, slice, ns);
    slice->self_away_ns = pinsight_time_rest(slice->away_ns, slice->children_away_ns);
    if (track->depth > 1) {
        slice[-1].children_ns += time;
        slice[-1].away_ns += slice->away_ns;
        slice[-1].children_away_ns += slice->away_ns;
        if (slice->chain == PINSIGHT_NO_CHAIN)
            slice[-1].within_ready_ns += slice->ready_ns + slice->within_ready_ns;
    }
    if (timeline && timeline->end)
        timeline->end(timeline->data, track, slice, ns);
    track->depth--;
    if (slice->chain != PINSIGHT_NO_CHAIN)
        track->chains[slice->chain].top = slice->below;
    return time;
}

/* A frame of a chain begins, at a time that does not run back. It is to be filled in, and then told
 * (pinsight_track_reported). It moves with the next begin. */
static inline struct pinsight_slice *pinsight_chain_push(struct pinsight_thread *thread,
                                                         unsigned chain,
                                                         enum pinsight_slice_kind kind, uint32_t id,
                                                         uint64_t ns) {
    struct pinsight_track *track = thread->track;
    struct pinsight_chain *own;
    struct pinsight_slice *frame;

    if (__builtin_expect(
            !track || !track->number || track->depth == track->capacity || track->marking_count, 0))
        track = pinsight_stack_room(thread);
    own = &track->chains[chain];
    frame = &track->slices[track->depth++];
    *frame = pinsight_no_slice;
    frame->kind = (uint8_t)kind;
    frame->id = id;
    frame->key = ++own->depth;
    frame->begin_ns = frame->since_ns = pinsight_track_time(track, ns);
    frame->chain = (uint8_t)chain;
    frame->below = own->top;
    own->top = (uint32_t)track->depth;
    own->used = true;
    return frame;
}

/* The innermost frame of a chain, which is not in the stack any more, ends: how long it took. */
const struct pinsight_slice *pinsight_chain_pop_cut(struct pinsight_thread *thread, unsigned chain,
                                                    uint64_t ns, uint64_t *total_ns);

/* The innermost frame of a chain ends, and before it what others have within it. The frame holds
 * until the next begin. */
static inline const struct pinsight_slice *pinsight_chain_pop(struct pinsight_thread *thread,
                                                              unsigned chain, uint64_t ns,
                                                              struct pinsight_frame_times *times) {
    struct pinsight_track *track = thread->track;
    struct pinsight_chain *own = &track->chains[chain];
    const struct pinsight_slice *frame;
    struct pinsight_slice *outer;

    if (__builtin_expect(own->top && track->slices[own->top - 1].key == own->depth, 1)) {
        if (track->depth > own->top)
            pinsight_marked_leave(track, own->top, ns);
        ns = pinsight_track_time(track, ns);
        frame = &track->slices[own->top - 1];
        times->total_ns = pinsight_track_take_off(track, false, ns);
    } else {
        frame = pinsight_chain_pop_cut(thread, chain, ns, &times->total_ns);
    }
    times->self_ns = pinsight_time_rest(times->total_ns, frame->like_ns);
    times->away_ns = pinsight_time_rest(frame->away_ns, frame->like_away_ns);
    times->ready_ns = frame->ready_ns + frame->within_ready_ns;
    own->depth--;
    outer = pinsight_chain_top(thread, chain);
    if (outer) {
        outer->like_ns += times->total_ns;
        outer->like_away_ns += frame->away_ns;
    }
    return frame;
}

#endif
