/*
 * What a process left whose flight recorder kept the last part of its events alone
 * (record/file/ring.c): from a moment on everything, of all its threads; and definitions from its
 * start on. What there is of earlier events is not handed on, so that all threads begin at one
 * moment; but what these leave open in Python begins then.
 */
#ifndef PINSIGHT_READER_CTF_RING_H
#define PINSIGHT_READER_CTF_RING_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_frame;

/* A process. All zero but for `kept` at first. */
struct pinsight_ring {
    struct pinsight_kept kept;
    bool is_cut;               /* events were dropped, or are not handed on */
    bool is_part;              /* likewise, as is known from the first event on */
    bool begun;                /* what is handed on now is late enough */
    struct ring_frame *frames; /* open, in the order of their begins */
    size_t count, capacity;
};

/* Whether an event is to be handed on, while nothing of the process is late enough. Where that
 * makes `begun` true, the frames are to be handed on before. */
bool pinsight_ring_lets(struct pinsight_ring *ring, const struct pinsight_event *event);

/* Hands on the begins of what is open. Returns what came back first that is not 0. */
int pinsight_ring_hand_on(struct pinsight_ring *ring,
                          int (*on_event)(void *data, const struct pinsight_event *event),
                          void *data);

void pinsight_ring_clear(struct pinsight_ring *ring);

#endif
