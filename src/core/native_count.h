/*
 * Counting for MONITORING in domains of native code: of each lexgion in each thread, how often it
 * is executed and how long.
 */
#ifndef PINSIGHT_CORE_NATIVE_COUNT_H
#define PINSIGHT_CORE_NATIVE_COUNT_H

#include "core/clock.h"
#include "core/native_lexgion.h"

/* An execution that MONITORING counts. */
struct pinsight_native_counted {
    struct pinsight_native_lexgion *lexgion; /* NULL where it is not counted */
    struct pinsight_native_counted *outer;   /* the counted one that it is in */
    uint64_t start, children;                /* ticks; children: in counted ones inside */
};

/* Written by the thread alone, and only grows; what of it is in the trace already is the flusher's.
 */
struct pinsight_native_count {
    _Atomic uint64_t calls, inclusive, exclusive; /* ticks */
    uint64_t calls_written, inclusive_written, exclusive_written;
    uint32_t depth; /* executions that are open in this thread */
};

/* What a thread counts. Zeroed at first. */
struct pinsight_native_counts {
    struct pinsight_native_counted *innermost;
    struct pinsight_native_count *at; /* by the lexgions' numbers; the thread frees it */
    uint32_t room;
};

/* Room for the lexgion of that number, which there is none for. Returns false when memory is short.
 * The thread's own call; slow path. */
PINSIGHT_API bool pinsight_native_count_grow(struct pinsight_native *native,
                                             struct pinsight_native_counts *counts, uint32_t id);

/* Add to a count that only the calling thread writes, and others may look at; the sum. */
static inline uint64_t pinsight_native_add(_Atomic uint64_t *count, uint64_t more) {
    uint64_t sum = atomic_load_explicit(count, memory_order_relaxed) + more;
    atomic_store_explicit(count, sum, memory_order_relaxed);
    return sum;
}

/* An execution begins; `counted` is where it stays until its end. `lexgion` may be NULL. */
static inline void pinsight_native_count_begin(struct pinsight_native *native,
                                               struct pinsight_native_counts *counts,
                                               struct pinsight_native_counted *counted,
                                               struct pinsight_native_lexgion *lexgion) {
    counted->lexgion = NULL;
    if (!lexgion || (__builtin_expect(lexgion->id >= counts->room, 0) &&
                     !pinsight_native_count_grow(native, counts, lexgion->id)))
        return;
    counts->at[lexgion->id].depth++;
    counted->lexgion = lexgion;
    counted->outer = counts->innermost;
    counted->children = 0;
    counted->start = pinsight_clock_ticks();
    counts->innermost = counted;
}

/* It ends, or ended at `end` (ticks). */
static inline void pinsight_native_count_end(struct pinsight_native_counts *counts,
                                             struct pinsight_native_counted *counted,
                                             uint64_t end) {
    if (!counted->lexgion)
        return;
    struct pinsight_native_count *count = &counts->at[counted->lexgion->id];
    uint64_t ticks = end > counted->start ? end - counted->start : 0;
    pinsight_native_add(&count->calls, 1);
    if (--count->depth == 0)
        pinsight_native_add(&count->inclusive, ticks);
    pinsight_native_add(&count->exclusive,
                        ticks > counted->children ? ticks - counted->children : 0);
    counts->innermost = counted->outer;
    if (counted->outer)
        counted->outer->children += ticks;
    counted->lexgion = NULL;
}

/* What is counted did not run for so many ticks. */
static inline void pinsight_native_count_leave_out(struct pinsight_native_counts *counts,
                                                   uint64_t ticks) {
    for (struct pinsight_native_counted *at = counts->innermost; at; at = at->outer)
        at->start += ticks;
}

struct pinsight_native_thread;

/* Write lexgion_profile for what was counted since the last time, in every thread or in one. Any
 * thread. */
PINSIGHT_API void pinsight_native_count_flush(struct pinsight_native *native);
PINSIGHT_API void pinsight_native_count_flush_thread(struct pinsight_native *native,
                                                     struct pinsight_native_thread *thread);

#endif
