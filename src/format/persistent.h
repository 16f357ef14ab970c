/*
 * The counts of MONITORING in memory that outlives its process. If a recorder has such memory
 * (`keep` of tracer/record/recorder.h), the nodes of tracer/core/count.h are in it. For a process
 * that could not record its counts, the process that finishes the trace records them.
 *
 * A chunk of the memory begins with a struct pinsight_persistent_chunk. Blocks follow, one after
 * the other. Pointers are addresses of the counting process. A reader translates those that lead
 * into a chunk, by the chunk's address in that process, and follows no others.
 */
#ifndef PINSIGHT_FORMAT_PERSISTENT_H
#define PINSIGHT_FORMAT_PERSISTENT_H

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_PERSISTENT_LINE 64 /* all sizes are multiples of it */

struct pinsight_lexgion;
struct pinsight_engine;
struct pinsight_count_account;

/* A node. An execution uses only its first cache line. */
struct pinsight_count_node {
    /* Constant, except that the lexgion becomes NULL when its code is freed. */
    struct pinsight_count_node *parent; /* NULL for the root */
    struct pinsight_lexgion *lexgion;
    uint64_t place; /* place of the call, and flags: see PINSIGHT_COUNT_ */
    /* Only the thread writes these numbers. They never decrease, except the children's of a node
     * with PINSIGHT_COUNT_TRACED. Times are ticks. */
    uint64_t calls, inclusive, children;
    uint64_t longest;                       /* the longest execution that has ended */
    struct pinsight_count_account *account; /* the recorded part of its counts; NULL for the root */
} __attribute__((aligned(PINSIGHT_PERSISTENT_LINE)));

/* Flags in `place`, beside a line of the parent or a result of pinsight_link_here(): */
/* the place is a result of pinsight_link_here() */
#define PINSIGHT_COUNT_PATH ((uint64_t)1 << 32)
/* a part of a region that another thread counts */
#define PINSIGHT_COUNT_PART ((uint64_t)1 << 33)
#define PINSIGHT_COUNT_FOLDED ((uint64_t)1 << 34) /* several paths; see PINSIGHT_COUNT_PATHS */
/* the node counts nothing itself: events record its executions, and counted ones are within them */
#define PINSIGHT_COUNT_TRACED ((uint64_t)1 << 35)

/* The part of a node's counts that is in the trace, or about to be. Under the count lock. */
struct pinsight_count_account {
    struct pinsight_engine *engine;
    struct pinsight_count_node *next_free;
    /* its lexgion's text; NULL if it does not outlive the process */
    const struct pinsight_persistent_text *text;
    /* the node's number in the trace; 0 while it is unused */
    uint32_t number;
    uint32_t round; /* the round of writing that recorded it last */
    bool nested;    /* an ancestor has the same lexgion */
    bool is_doomed; /* it or an ancestor has lost its lexgion; it counts nothing more */
    uint64_t calls, inclusive, longest;
    int64_t self; /* time without all counted children */
    int64_t own;  /* time without the counted children of its domain */
    /* Values of the current round of writing. */
    uint64_t inclusive_now, longest_now;
    int64_t self_now, own_now;
};

/* The head of a chunk. */
struct pinsight_persistent_chunk {
    uint64_t at;   /* address of the chunk in the process */
    uint64_t used; /* bytes with this struct; written when the blocks are complete */
    uint64_t last; /* ns of CLOCK_MONOTONIC of the last new node; first chunk only */
    double rate;   /* nanoseconds of a tick; first chunk only */
} __attribute__((aligned(PINSIGHT_PERSISTENT_LINE)));

enum pinsight_persistent_kind {
    PINSIGHT_PERSISTENT_FREE,
    PINSIGHT_PERSISTENT_NODES, /* `room` nodes, then as many accounts */
    PINSIGHT_PERSISTENT_TEXT,  /* a struct pinsight_persistent_text */
};

struct pinsight_persistent_block {
    uint64_t bytes; /* with this struct */
    uint32_t kind;  /* enum pinsight_persistent_kind */
    uint32_t room;
    uint32_t tid; /* thread of the nodes, as events have it */
    int32_t python_thread_id;
    uint64_t first; /* ns of CLOCK_MONOTONIC when the thread got the nodes */
    struct pinsight_persistent_block *next_free;
} __attribute__((aligned(PINSIGHT_PERSISTENT_LINE)));

/* Fields of the events path_profile and lexgion_profile, in the file recorder's form. Both events
 * have the fields from `domain` to `lexgion`. The second also has those up to `lineno`. */
struct pinsight_persistent_text {
    uint32_t common, all; /* bytes of the common fields and of all fields */
    uint8_t fields[];
};

#endif
