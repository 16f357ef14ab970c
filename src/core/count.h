/*
 * Counting for MONITORING: calls, inclusive and exclusive time of each lexgion in each thread.
 *
 * The counts of a thread are an array, indexed by the lexgion's slot. Slots are given out as
 * lexgions are first counted, and are free again once the counts of a dead lexgion were written.
 */
#ifndef PINSIGHT_CORE_COUNT_H
#define PINSIGHT_CORE_COUNT_H

#include "core/clock.h"
#include "core/lexgion.h"

/* Written by the thread alone, and only grows; what of it is in the trace already belongs to who
 * writes it there, under the engine's count lock. */
struct pinsight_call_count {
    uint64_t calls;
    uint64_t inclusive, exclusive; /* ticks; inclusive: of the outermost execution only */
    uint64_t calls_written, inclusive_written, exclusive_written;
    uint32_t depth; /* executions that are open in this thread */
} __attribute__((aligned(64)));

/* An execution that is counted, as long as it runs. */
struct pinsight_counted_call {
    struct pinsight_lexgion *lexgion;    /* NULL where it is not counted */
    struct pinsight_counted_call *outer; /* the counted one that it is in */
    uint64_t start, children;            /* ticks; children: in counted ones inside */
};

/* What a thread counts. Zeroed at first; pinsight_count_free. */
struct pinsight_thread_counts {
    struct pinsight_call_count *at;
    uint32_t room;
    struct pinsight_counted_call *innermost;
};

/* The thread's count of `lexgion`, made where there is none; NULL when memory is short. The
 * thread's own call; slow path. */
PINSIGHT_API struct pinsight_call_count *pinsight_count_make(struct pinsight_engine *engine,
                                                             struct pinsight_thread_counts *counts,
                                                             struct pinsight_lexgion *lexgion);

/* The same, for a hot path. */
PINSIGHT_ALWAYS_INLINE struct pinsight_call_count *
pinsight_count_of(struct pinsight_engine *engine, struct pinsight_thread_counts *counts,
                  struct pinsight_lexgion *lexgion) {
    uint32_t slot = PINSIGHT_GET(lexgion->slot);
    if (PINSIGHT_LIKELY(slot < counts->room))
        return &counts->at[slot];
    return pinsight_count_make(engine, counts, lexgion);
}

/* Add to a number that only the calling thread writes, and others may look at; the sum. */
PINSIGHT_ALWAYS_INLINE uint64_t pinsight_add(uint64_t *number, uint64_t more) {
    uint64_t sum = *number + more;
    PINSIGHT_PUT(*number, sum);
    return sum;
}

/* ---- for a domain whose engine is shared ---- */

/* An execution begins; `counted` is where it stays until its end. `lexgion` may be NULL. */
static inline void pinsight_count_begin(struct pinsight_engine *engine,
                                        struct pinsight_thread_counts *counts,
                                        struct pinsight_counted_call *counted,
                                        struct pinsight_lexgion *lexgion) {
    struct pinsight_call_count *count = lexgion ? pinsight_count_of(engine, counts, lexgion) : NULL;
    counted->lexgion = NULL;
    if (!count)
        return;
    count->depth++;
    counted->lexgion = lexgion;
    counted->outer = counts->innermost;
    counted->children = 0;
    counted->start = pinsight_clock_ticks();
    counts->innermost = counted;
}

/* It ends, or ended at `end` (ticks). */
static inline void pinsight_count_end(struct pinsight_thread_counts *counts,
                                      struct pinsight_counted_call *counted, uint64_t end) {
    if (!counted->lexgion)
        return;
    struct pinsight_call_count *count = &counts->at[PINSIGHT_GET(counted->lexgion->slot)];
    uint64_t ticks = end > counted->start ? end - counted->start : 0;
    pinsight_add(&count->calls, 1);
    if (--count->depth == 0)
        pinsight_add(&count->inclusive, ticks);
    pinsight_add(&count->exclusive, ticks > counted->children ? ticks - counted->children : 0);
    counts->innermost = counted->outer;
    if (counted->outer)
        counted->outer->children += ticks;
    counted->lexgion = NULL;
}

/* What is counted did not run for so many ticks. */
static inline void pinsight_count_exclude(struct pinsight_thread_counts *counts, uint64_t ticks) {
    for (struct pinsight_counted_call *at = counts->innermost; at; at = at->outer)
        at->start += ticks;
}

/* ---- slow paths ---- */

struct pinsight_engine_thread;

/* Write lexgion_profile for what was counted since the last time, in every thread; free lexgions
 * that are dead. Any thread; under the domain's lock where the engine is not shared. */
PINSIGHT_API void pinsight_count_flush(struct pinsight_engine *engine);

/* The same of one thread alone, without freeing. The thread's own call. */
PINSIGHT_API void pinsight_count_flush_thread(struct pinsight_engine *engine,
                                              struct pinsight_engine_thread *thread);

/* A dead lexgion waits for its counts to be written; after so many of them they are. Under the
 * domain's lock. */
PINSIGHT_API void pinsight_count_died(struct pinsight_engine *engine);

/* Free what a thread counted. */
PINSIGHT_API void pinsight_count_free(struct pinsight_thread_counts *counts);

#endif
