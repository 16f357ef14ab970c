/*
 * The cost of a domain's callbacks. About one callback in 1,024 is timed from its entry to its
 * exit, with the processor's counter. The times are kept in a histogram. Long times are part of the
 * mean, because a callback is often slow where the program has used the caches. A time that is far
 * longer than the others contains an interrupt, and counts less. The number of callbacks is exact.
 * The runtime's own time for a call of the callback is not included; a reader estimates it from the
 * runtime's version and the kinds of the timed callbacks.
 *
 * The hot path has two instructions for this: it decrements `left`, and continues if the result is
 * not negative. The caller keeps other threads away, like Python's domain by the GIL. If `left` is
 * negative, pinsight_callback_timing() begins the next period. The domain then calls the callback
 * again, which counts it, and times that call.
 */
#ifndef PINSIGHT_CORE_CALLBACK_COST_H
#define PINSIGHT_CORE_CALLBACK_COST_H

#include "pinsight/pinsight.h"

#include <stdint.h>

/* The average number of callbacks for one that is timed. Periods vary by a sixteenth, so that a
 * program with a regular order of calls has all of them timed at some time. */
#define PINSIGHT_CALLBACK_PERIOD 1024u

/* The purpose of a callback. */
enum pinsight_callback_kind {
    PINSIGHT_CALLBACK_FUNCTION,  /* a function begins or returns */
    PINSIGHT_CALLBACK_GENERATOR, /* a generator continues or pauses */
    PINSIGHT_CALLBACK_UNWIND,    /* an exception ends a function or a generator */
    PINSIGHT_CALLBACK_CALL,      /* a call begins, or a C function returns */
    PINSIGHT_CALLBACK_OPERATOR,  /* an operator or a property, which no runtime reports */
    PINSIGHT_CALLBACK_EXCEPTION, /* an exception is raised, is handled, or goes on */
    PINSIGHT_CALLBACK_KINDS
};

/* Times in ticks. Each time below 16 has its own bin. Above, an octave has eight bins. */
#define PINSIGHT_CALLBACK_BINS 256u
struct pinsight_callback_times {
    uint64_t count[PINSIGHT_CALLBACK_BINS];
    uint64_t sum[PINSIGHT_CALLBACK_BINS];
};

/* All zero at the start. */
struct pinsight_callback_cost {
    int32_t left;    /* callbacks until the next timed one; the hot path decrements it */
    int32_t period;  /* the last value that `left` was set to */
    uint64_t before; /* callbacks of earlier periods */
    uint32_t random; /* state of the random numbers that vary the periods */
    uint64_t met;    /* functions and callables that were seen for the first time */
    uint64_t tasks;  /* tasks that were seen for the first time */
    uint64_t kinds[PINSIGHT_CALLBACK_KINDS]; /* timed callbacks, by kind */
    struct pinsight_callback_times timed;
    struct pinsight_callback_times empty; /* times of a callback that does nothing */
};

PINSIGHT_API void pinsight_callback_timing(struct pinsight_callback_cost *cost);

/* Adds the time of a callback, in ticks. Ignores the very first callback, because it also sets up
 * the thread's recording, which takes thousands of times as long. */
PINSIGHT_API void pinsight_callback_timed(struct pinsight_callback_cost *cost,
                                          enum pinsight_callback_kind kind, uint64_t ticks);

/* Returns the number of callbacks. */
PINSIGHT_API uint64_t pinsight_callback_count(const struct pinsight_callback_cost *cost);

/* Returns the number of timed callbacks. */
PINSIGHT_API uint64_t pinsight_callback_samples(const struct pinsight_callback_cost *cost);

/* Returns the mean time of a callback less that of an empty one, in ticks. Both means are capped.
 */
PINSIGHT_API double pinsight_callback_mean(const struct pinsight_callback_cost *cost);

/* Return the mean of times without the largest tenth; and the mean of all times, each of which
 * counts as at most 16 times the other mean. Both are 0 without times. */
PINSIGHT_API double pinsight_callback_trimmed(const struct pinsight_callback_times *times);
PINSIGHT_API double pinsight_callback_capped(const struct pinsight_callback_times *times);
PINSIGHT_API void pinsight_callback_add(struct pinsight_callback_times *times, uint64_t ticks);

#endif
