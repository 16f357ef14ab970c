/* The begin and end of frames in chains (see stack.h). Nearly every event needs them, so that they
 * are compiled into their callers. Not thread-safe. */
#ifndef PINSIGHT_READER_FRAME_H
#define PINSIGHT_READER_FRAME_H

#include "reader/extremes.h"
#include "reader/timeline.h"
#include "reader/waits.h"

/* The times of a frame, in ns. */
struct pinsight_frame_times {
    uint64_t total_ns;
    uint64_t self_ns;  /* without inner frames of its chain */
    uint64_t away_ns;  /* of self_ns, without a processor */
    uint64_t ready_ns; /* of away_ns, while it wanted a processor */
};

/* Reports the begin of the innermost slice of a track to the view. */
static inline void pinsight_track_reported(struct pinsight_track *track) {
    const struct pinsight_timeline *timeline = pinsight_track_process(track)->model->timeline;

    if (timeline && timeline->begin)
        timeline->begin(timeline->data, track, &track->slices[track->depth - 1]);
}

/* Ends the innermost slice of a track. Returns its duration in ns. A frame of a chain stays counted
 * in the chain's depth. */
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

/* Begins a frame of a chain, at a time that is made not to run backwards. The caller fills in the
 * frame, and then calls pinsight_track_reported(). The frame is valid until the next begin. */
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

/* Ends the innermost frame of a chain if it has left the stack already. Sets *total_ns to its
 * duration. Returns the frame. */
const struct pinsight_slice *pinsight_chain_pop_cut(struct pinsight_thread *thread, unsigned chain,
                                                    uint64_t ns, uint64_t *total_ns);

/* Ends the innermost frame of a chain, after the inner slices of other domains. The returned frame
 * is valid until the next begin. */
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
