/* Decoding ahead of the reading, by threads of its own. A lane is the way of one stream from its
 * cursor to who reads it: a ring of batches, which are filled in their order. Whoever fills them,
 * the reader gets the same batches. Where it would have to wait, it fills one itself; without
 * threads, all of them. */
#ifndef PINSIGHT_READER_CTF_AHEAD_H
#define PINSIGHT_READER_CTF_AHEAD_H

#include "reader/ctf/cursor.h"

#include <pthread.h>

#define CTF_RING 4

struct ctf_lane {
    struct ctf_cursor cursor;
    struct ctf_ahead *ahead;          /* NULL without threads */
    size_t capacity;                  /* of its batches */
    struct ctf_batch *ring[CTF_RING]; /* NULL before their first use */
    size_t filled, taken;             /* batches so far; the reader has what is between */
    bool holds;                       /* the reader has the batch `taken` */
    bool queued, filling;             /* somebody is to fill it, or does */
    struct ctf_lane *next;            /* in the queue */
};

/* The threads. All zero is none. */
struct ctf_ahead {
    pthread_t *threads;
    size_t thread_count;
    pthread_mutex_t lock;
    pthread_cond_t work, filled;
    struct ctf_lane *first, **last; /* the queue */
    struct ctf_lane *awaited;       /* by the reader */
    bool ending;
};

/* Starts some threads, fewer where there are no more to be had. They take no signals but those of
 * their own faults. */
void ctf_ahead_start(struct ctf_ahead *ahead, size_t threads);

/* Ends and joins them. No lane goes on after this. */
void ctf_ahead_end(struct ctf_ahead *ahead);

/* The lane's batches are filled by these threads from now on. */
void ctf_ahead_add(struct ctf_ahead *ahead, struct ctf_lane *lane);

/* The next batch of a lane that is not over, for its one reader; valid until it asks again. */
struct ctf_batch *ctf_lane_next(struct ctf_lane *lane);

/* Frees the batches; the threads have ended. */
void ctf_lane_clear(struct ctf_lane *lane);

#endif
