/*
 * The events of a process with a flight recorder, which kept only the last part
 * (tracer/record/file/ring.c). There are all events of all its threads from a moment on, and
 * definitions from its start on. Earlier events are not passed on, so that all threads begin at the
 * same moment. Python calls that they leave open begin at that moment.
 */
#ifndef PINSIGHT_READER_CTF_RING_H
#define PINSIGHT_READER_CTF_RING_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_frame;

/* A process. All zero at first, except for `kept`. */
struct pinsight_ring {
    struct pinsight_kept kept;
    bool is_cut;               /* events were dropped, or are not passed on */
    bool is_part;              /* like is_cut, known from the first event on */
    bool begun;                /* the kept part has begun */
    struct ring_frame *frames; /* open calls, in the order of their begins */
    size_t count, capacity;
};

/* Returns whether to pass on an event before the kept part has begun. If it sets `begun`, the open
 * frames must be passed on first. */
bool pinsight_ring_lets(struct pinsight_ring *ring, const struct pinsight_event *event);

/* Passes on the begins of open calls. Returns the first result that is not 0. */
int pinsight_ring_hand_on(struct pinsight_ring *ring,
                          int (*on_event)(void *data, const struct pinsight_event *event),
                          void *data);

void pinsight_ring_clear(struct pinsight_ring *ring);

#endif
