/* Threads that decode ahead of the reader. A lane leads from a stream's cursor to the reader: a
 * ring of batches that are filled in their order. The batches do not depend on the thread that
 * fills them. If the reader would have to wait, it fills a batch itself; without threads, it fills
 * all of them. */
#ifndef PINSIGHT_READER_CTF_READ_AHEAD_H
#define PINSIGHT_READER_CTF_READ_AHEAD_H

#include "reader/ctf/cursor.h"

#include <pthread.h>

#define CTF_RING 4

struct ctf_lane {
    struct ctf_cursor cursor;
    struct ctf_read_ahead *ahead;     /* NULL without threads */
    size_t capacity;                  /* capacity of its batches */
    struct ctf_batch *ring[CTF_RING]; /* NULL before the first use */
    size_t filled, taken;             /* numbers of batches so far */
    bool holds;                       /* the reader is using the batch `taken` */
    bool queued, filling;             /* it is in the queue; a thread is filling a batch */
    struct ctf_lane *next;            /* in the queue */
};

/* The threads. All zero means none. */
struct ctf_read_ahead {
    pthread_t *threads;
    size_t thread_count;
    pthread_mutex_t lock;
    pthread_cond_t work, filled;
    struct ctf_lane *first, **last; /* the queue */
    struct ctf_lane *awaited;       /* the lane that the reader waits for */
    bool ending;
};

/* Starts threads; fewer if not all can be made. They block all signals except those of their own
 * faults. */
void ctf_read_ahead_start(struct ctf_read_ahead *ahead, size_t threads);

/* Ends and joins the threads. No lane may be used after this. */
void ctf_read_ahead_end(struct ctf_read_ahead *ahead);

/* Lets these threads fill the lane's batches from now on. */
void ctf_read_ahead_add(struct ctf_read_ahead *ahead, struct ctf_lane *lane);

/* Returns the next batch of a lane that is not over, for its only reader. Valid until the next
 * call. */
struct ctf_batch *ctf_lane_next(struct ctf_lane *lane);

/* Frees the batches. The threads must have ended. */
void ctf_lane_clear(struct ctf_lane *lane);

#endif
