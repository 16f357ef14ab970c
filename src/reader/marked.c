/* Parts that the program marks, in the stack of a thread; see stack.h. */
#include "reader/timeline.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The most that wait. A damaged trace may have any number of ends. */
enum { MOST = 64 };

static struct pinsight_marking *add(struct pinsight_track *track) {
    return PINSIGHT_ADD(track->markings, track->marking_count, track->marking_capacity);
}

/* Empties the list of waiting begins and ends, which the caller frees. Returns how many there
 * are. */
static size_t take_all(struct pinsight_track *track) {
    size_t count = track->marking_count;

    track->markings = NULL;
    track->marking_count = track->marking_capacity = 0;
    return count;
}

static void apply(struct pinsight_track *track, const struct pinsight_marking *marking) {
    struct pinsight_slice slice =
        pinsight_slice_of(PINSIGHT_SLICE_MARKED, marking->name, marking->name);

    if (marking->ends)
        pinsight_slice_end(track->thread, PINSIGHT_SLICE_MARKED, marking->name, marking->ns);
    else
        pinsight_track_push(track, &slice, marking->ns);
}

void pinsight_marked_settle(struct pinsight_track *track) {
    struct pinsight_marking *markings = track->markings;
    size_t count;

    if (!track->marking_count)
        return;
    count = take_all(track);
    for (size_t i = 0; i < count; i++)
        apply(track, &markings[i]);
    free(markings);
}

void pinsight_marked_begin(struct pinsight_thread *thread, uint32_t name, uint64_t ns) {
    struct pinsight_track *track = pinsight_track_of(thread);

    if (!track)
        return;
    if (track->marking_count == MOST)
        pinsight_marked_settle(track);
    *add(track) = (struct pinsight_marking){.ns = ns, .name = name};
}

/* Returns the index of the innermost waiting begin with a name, plus one; 0 if there is none. */
static size_t waiting(const struct pinsight_track *track, uint32_t name) {
    size_t at = track->marking_count;

    while (at > 0 && (track->markings[at - 1].ends || track->markings[at - 1].name != name))
        at--;
    return at;
}

void pinsight_marked_end(struct pinsight_thread *thread, uint32_t name, uint64_t ns) {
    struct pinsight_track *track = thread->track;
    size_t at = track ? waiting(track, name) : 0;

    if (!track)
        return;
    if (at && track->markings[at - 1].again) {
        /* The part did not continue. */
        memmove(&track->markings[at - 1], &track->markings[at],
                (track->marking_count-- - at) * sizeof(*track->markings));
        return;
    }
    /* The begin and the end are in one frame, so that the part lies within it. */
    if (at || track->marking_count == MOST)
        pinsight_marked_settle(track);
    *add(track) = (struct pinsight_marking){.ns = ns, .name = name, .ends = true};
}

void pinsight_marked_leave(struct pinsight_track *track, size_t depth, uint64_t ns) {
    struct pinsight_marking *waiting = track->markings;
    size_t count = take_all(track), left = 0;

    for (size_t i = 0; i < count; i++) {
        if (waiting[i].ends &&
            pinsight_slice_place(track, PINSIGHT_SLICE_MARKED, waiting[i].name) > depth)
            apply(track, &waiting[i]);
        else
            waiting[left++] = waiting[i];
    }
    ns = pinsight_track_time(track, ns);
    for (size_t i = depth; i < track->depth && track->slices[i].kind == PINSIGHT_SLICE_MARKED; i++)
        *add(track) =
            (struct pinsight_marking){.ns = ns, .name = track->slices[i].id, .again = true};
    pinsight_track_cut(track, depth, ns);
    for (size_t i = 0; i < left; i++)
        *add(track) = waiting[i];
    free(waiting);
}
