/*
 * What MONITORING counts, as memory that outlives its process: where a recorder has such memory
 * (`keep` of record/recorder.h), the nodes of core/count.h lie in it, and whoever finishes the
 * trace of a process that could not write its counts does so in its place.
 *
 * A chunk of that memory begins with a struct pinsight_kept_chunk; blocks follow, one after the
 * other. Pointers in it are the process's: those that lead into a chunk are followed by where that
 * chunk was, and no other is.
 */
#ifndef PINSIGHT_RECORD_KEPT_H
#define PINSIGHT_RECORD_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_KEPT_LINE 64 /* all sizes are multiples of it */

struct pinsight_lexgion;
struct pinsight_engine;
struct pinsight_count_account;

/* The first line of the caches is all that an execution needs. */
struct pinsight_count_node {
    /* Constant, but that the lexgion is NULL once its code is gone. */
    struct pinsight_count_node *parent; /* NULL: the root */
    struct pinsight_lexgion *lexgion;
    uint64_t place; /* where the call is, and flags: see PINSIGHT_COUNT_ */
    /* Written by the thread alone; they only grow. Times are ticks. */
    uint64_t calls, inclusive, children;
    uint64_t waiting;                       /* ns of its own time without a processor */
    struct pinsight_count_account *account; /* what was written of it; NULL of the root */
} __attribute__((aligned(PINSIGHT_KEPT_LINE)));

/* In `place`, beside a line of the parent or what pinsight_link_here() gave: */
#define PINSIGHT_COUNT_PATH ((uint64_t)1 << 32)   /* it is the latter */
#define PINSIGHT_COUNT_PART ((uint64_t)1 << 33)   /* a part in what another thread counts */
#define PINSIGHT_COUNT_FOLDED ((uint64_t)1 << 34) /* not one path: see PINSIGHT_COUNT_PATHS */

/* What of a node is in the trace already, and what is about to be. Under the count lock. */
struct pinsight_count_account {
    struct pinsight_engine *engine;
    struct pinsight_count_node *next_free;
    const struct pinsight_kept_text *text; /* its lexgion's; NULL where it is not kept */
    uint32_t number;                       /* in the trace; 0 while the node is not in use */
    uint32_t round;                        /* of writing, in which it was written last */
    bool nested;                           /* an ancestor has the same lexgion */
    bool is_doomed; /* it, or an ancestor, has lost its lexgion: nothing is counted in it any more
                     */
    uint64_t calls, inclusive, waiting;
    int64_t self; /* without all that was counted in it */
    int64_t own;  /* without what its domain counted in it */
    /* Until now, while it is written. */
    uint64_t inclusive_now;
    int64_t self_now, own_now;
};

/* The beginning of a chunk. */
struct pinsight_kept_chunk {
    uint64_t at;   /* where the process has it */
    uint64_t used; /* bytes, with this struct; written when the blocks in them are complete */
    uint64_t last; /* ns of CLOCK_MONOTONIC: when a node was made last; of the first chunk */
    double rate;   /* nanoseconds of a tick; of the first chunk */
} __attribute__((aligned(PINSIGHT_KEPT_LINE)));

enum pinsight_kept_kind {
    PINSIGHT_KEPT_FREE,
    PINSIGHT_KEPT_NODES, /* `room` nodes, then as many accounts */
    PINSIGHT_KEPT_TEXT,  /* a struct pinsight_kept_text */
};

struct pinsight_kept_block {
    uint64_t bytes; /* with this struct */
    uint32_t kind;  /* enum pinsight_kept_kind */
    uint32_t room;
    uint32_t tid; /* of nodes: whose they are, as events have it */
    int32_t python_thread_id;
    uint64_t first; /* ns of CLOCK_MONOTONIC: of nodes, when they became that thread's */
    struct pinsight_kept_block *next_free;
} __attribute__((aligned(PINSIGHT_KEPT_LINE)));

/* Fields of the events path_profile and lexgion_profile, as the file recorder stores them: from
 * `domain` to `lexgion`, which both have, and on to `lineno`, which the second has. */
struct pinsight_kept_text {
    uint32_t common, all; /* bytes */
    uint8_t fields[];
};

#endif
