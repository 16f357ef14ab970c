/* The stack of a thread; see stack.h. */
#include "reader/stack.h"

#include "base/memory.h"
#include "reader/frame.h"

const struct pinsight_slice pinsight_no_slice = {.id = PINSIGHT_NONE,
                                                 .chain = PINSIGHT_NO_CHAIN,
                                                 .path = PINSIGHT_NONE,
                                                 .native = PINSIGHT_NONE,
                                                 .forward = PINSIGHT_NONE,
                                                 .peer = -1,
                                                 .tag = -1};

static void make_room(struct pinsight_track *track) {
    if (track->depth == track->capacity)
        pinsight_stack_pool_grow(&pinsight_track_process(track)->model->rooms, &track->room,
                                 sizeof(*track->slices));
}

struct pinsight_track *pinsight_stack_room(struct pinsight_thread *thread) {
    struct pinsight_track *track = pinsight_stack_used(thread);

    pinsight_marked_settle(track);
    make_room(track);
    return track;
}

void pinsight_track_push(struct pinsight_track *track, const struct pinsight_slice *slice,
                         uint64_t ns) {
    struct pinsight_slice *own;

    pinsight_marked_settle(track);
    make_room(track);
    own = &track->slices[track->depth++];
    *own = *slice;
    own->begin_ns = own->since_ns = pinsight_track_time(track, ns);
    own->children_ns = own->self_ns = 0;
    own->away_ns = own->self_away_ns = own->children_away_ns = 0;
    own->ready_ns = own->within_ready_ns = 0;
    own->chain = PINSIGHT_NO_CHAIN;
    own->cut = false;
    pinsight_track_reported(track);
}

/* Keeps a frame of a chain that has left the stack. */
static void keep(struct pinsight_chain *chain, const struct pinsight_slice *frame) {
    size_t at;

    (void)PINSIGHT_ADD(chain->cut, chain->cut_count, chain->cut_capacity);
    for (at = chain->cut_count - 1; at && chain->cut[at - 1].key > frame->key; at--)
        chain->cut[at] = chain->cut[at - 1];
    chain->cut[at] = *frame;
    chain->cut[at].cut = true;
}

/* Ends the innermost slice because an outer one ends. The slice's domain may end it later. */
static void cut_off(struct pinsight_track *track, uint64_t ns) {
    const struct pinsight_slice *slice = &track->slices[track->depth - 1];

    pinsight_track_take_off(track, true, ns);
    if (slice->chain != PINSIGHT_NO_CHAIN)
        keep(&track->chains[slice->chain], slice);
}

void pinsight_track_cut(struct pinsight_track *track, size_t depth, uint64_t ns) {
    while (track->depth > depth)
        cut_off(track, ns);
}

void pinsight_track_pop(struct pinsight_track *track, uint64_t ns) {
    pinsight_track_take_off(track, false, pinsight_track_time(track, ns));
}

void pinsight_slice_begin(struct pinsight_thread *thread, const struct pinsight_slice *slice,
                          uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);

    if (track)
        pinsight_track_push(track, slice, ns);
}

static bool is_one(const struct pinsight_slice *slice, enum pinsight_slice_kind kind,
                   uint64_t key) {
    return slice->key == key && slice->kind == kind && slice->chain == PINSIGHT_NO_CHAIN;
}

size_t pinsight_slice_place(const struct pinsight_track *track, enum pinsight_slice_kind kind,
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
    size_t at = pinsight_slice_place(thread->track, kind, key);

    if (at)
        thread->track->slices[at - 1].bytes += bytes;
}

void pinsight_slice_set_wait(struct pinsight_thread *thread, enum pinsight_slice_kind kind,
                             uint64_t key, uint64_t ns) {
    size_t at = pinsight_slice_place(thread->track, kind, key);

    if (at)
        thread->track->slices[at - 1].waited_ns = ns;
}

void pinsight_slice_end(struct pinsight_thread *thread, enum pinsight_slice_kind kind, uint64_t key,
                        uint64_t ns) {
    struct pinsight_track *track = thread->track;
    size_t at;

    if (track)
        pinsight_marked_settle(track);
    at = pinsight_slice_place(track, kind, key);
    if (!at)
        return;
    ns = pinsight_track_time(track, ns);
    pinsight_track_cut(track, at, ns);
    pinsight_track_take_off(track, false, ns);
}

/* Returns the frame of a chain with a key, or NULL. Searches from a place in the stack, and the
 * first `cut` frames that were cut. */
static struct pinsight_slice *frame_at(const struct pinsight_track *track,
                                       const struct pinsight_chain *chain, uint32_t place,
                                       size_t cut, uint64_t key) {
    while (place && track->slices[place - 1].key > key)
        place = track->slices[place - 1].below;
    if (place && track->slices[place - 1].key == key)
        return &track->slices[place - 1];
    while (cut && chain->cut[cut - 1].key > key)
        cut--;
    return cut ? &chain->cut[cut - 1] : NULL;
}

struct pinsight_slice *pinsight_chain_outer(const struct pinsight_thread *thread,
                                            const struct pinsight_slice *frame) {
    const struct pinsight_track *track = thread->track;
    const struct pinsight_chain *own = &track->chains[frame->chain];
    bool is_cut = frame->cut;

    if (frame->key == 1)
        return NULL;
    return frame_at(track, own, is_cut ? own->top : frame->below,
                    is_cut ? (size_t)(frame - own->cut) : own->cut_count, frame->key - 1);
}

const struct pinsight_slice *pinsight_chain_pop_cut(struct pinsight_thread *thread, unsigned chain,
                                                    uint64_t ns, uint64_t *total_ns) {
    struct pinsight_chain *own = &thread->track->chains[chain];
    const struct pinsight_slice *frame = &own->cut[--own->cut_count];

    *total_ns = pinsight_time_rest(ns, frame->since_ns);
    /* The frame's slice may have continued in this thread; see pinsight_track_move(). */
    pinsight_slice_end(thread, (enum pinsight_slice_kind)frame->kind, frame->key, ns);
    return frame;
}

void pinsight_chain_drop(struct pinsight_thread *thread, unsigned chain) {
    struct pinsight_track *track = thread->track;
    struct pinsight_chain *own = &track->chains[chain];
    struct pinsight_slice *frame = pinsight_chain_top(thread, chain);

    own->depth--;
    if (frame->cut) {
        own->cut_count--;
        return;
    }
    own->top = frame->below;
    frame->chain = PINSIGHT_NO_CHAIN;
}

void pinsight_chain_move(struct pinsight_thread *from, struct pinsight_thread *to, unsigned chain) {
    struct pinsight_chain *old = from->track ? &from->track->chains[chain] : NULL, *own;

    if (!old || !old->used)
        return;
    own = &pinsight_stack_of(to)->chains[chain];
    if (own->used)
        return;
    own->used = true;
    own->depth = old->depth;
    for (struct pinsight_slice *frame; (frame = pinsight_chain_top(from, chain));) {
        keep(own, frame);
        pinsight_chain_drop(from, chain);
    }
    old->used = false;
}

bool pinsight_stack_has_frames(const struct pinsight_thread *thread) {
    for (unsigned i = 0; i < PINSIGHT_CHAINS; i++)
        if (pinsight_chain_top(thread, i))
            return true;
    return false;
}

static void pause(struct pinsight_slice *slices, size_t count, uint64_t before_ns,
                  uint64_t pause_ns) {
    for (size_t i = 0; i < count; i++)
        if (slices[i].since_ns < before_ns)
            slices[i].since_ns += pause_ns;
}

void pinsight_stack_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns) {
    struct pinsight_track *track = thread->track;

    if (!track)
        return;
    pinsight_marked_settle(track);
    pause(track->slices, track->depth, before_ns, pause_ns);
    for (size_t i = 0; i < PINSIGHT_CHAINS; i++)
        pause(track->chains[i].cut, track->chains[i].cut_count, before_ns, pause_ns);
}

void pinsight_track_close(struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_track *track = thread->track;

    if (track)
        pinsight_marked_settle(track);
    if (track && track->depth)
        pinsight_track_cut(track, 0, pinsight_track_time(track, ns));
}
