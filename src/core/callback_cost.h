/*
 * What a domain's callbacks cost. One in about 1,024 is timed from its entry to its exit, by the
 * processor's counter; the histogram of these times has a mean without the largest tenth, in which
 * are the interrupts, and how many callbacks there were is counted to the last one. What the
 * runtime takes to call them is not in it: a reader knows that by the runtime's version, and by the
 * kinds of those that were timed.
 *
 * The hot path has two instructions for this: it counts `left` down, and goes on where that is not
 * negative. Who does keeps other threads away, as Python's domain does by the GIL. Where it is
 * negative, pinsight_callback_timing begins the next period; then the callback is called once more
 * by itself, which counts it, and is timed in that.
 */
#ifndef PINSIGHT_CORE_CALLBACK_COST_H
#define PINSIGHT_CORE_CALLBACK_COST_H

#include "pinsight/pinsight.h"

#include <stdint.h>

/* A callback that is timed stands for so many, on average. Periods differ by a sixteenth, so that
 * of a program whose calls come in the same order again and again all have their turn. */
#define PINSIGHT_CALLBACK_PERIOD 1024u

/* What a callback was for. */
enum pinsight_callback_kind {
    PINSIGHT_CALLBACK_FUNCTION,  /* one begins or returns */
    PINSIGHT_CALLBACK_GENERATOR, /* one goes on or pauses */
    PINSIGHT_CALLBACK_UNWIND,    /* an exception ends one of both */
    PINSIGHT_CALLBACK_CALL,      /* something is called, or what is written in C returns */
    PINSIGHT_CALLBACK_OPERATOR,  /* an operator or a property, which no runtime reports */
    PINSIGHT_CALLBACK_KINDS
};

/* Times in ticks. Each up to 15 has a bin, and above there are eight to an octave. */
#define PINSIGHT_CALLBACK_BINS 256u
struct pinsight_callback_times {
    uint64_t count[PINSIGHT_CALLBACK_BINS];
    uint64_t sum[PINSIGHT_CALLBACK_BINS];
};

/* All zero at first. */
struct pinsight_callback_cost {
    int32_t left;    /* callbacks until one is timed; what the hot path counts down */
    int32_t period;  /* what it was set to last */
    uint64_t before; /* callbacks of earlier periods */
    uint32_t random; /* state of what makes the periods uneven */
    uint64_t met;    /* functions and callables that were met for the first time */
    uint64_t tasks;  /* likewise */
    uint64_t kinds[PINSIGHT_CALLBACK_KINDS]; /* those that were timed, by kind */
    struct pinsight_callback_times timed;
    struct pinsight_callback_times empty; /* of a callback that does nothing */
};

PINSIGHT_API void pinsight_callback_timing(struct pinsight_callback_cost *cost);

/* A callback of a kind took that many ticks. The first callback of all is left out: it also makes
 * what the thread records with, which takes thousands of times as long. */
PINSIGHT_API void pinsight_callback_timed(struct pinsight_callback_cost *cost,
                                          enum pinsight_callback_kind kind, uint64_t ticks);

/* How many callbacks there were. */
PINSIGHT_API uint64_t pinsight_callback_count(const struct pinsight_callback_cost *cost);

/* How many were timed. */
PINSIGHT_API uint64_t pinsight_callback_samples(const struct pinsight_callback_cost *cost);

/* What a callback takes more than one that does nothing, in ticks; each without the largest tenth.
 */
PINSIGHT_API double pinsight_callback_mean(const struct pinsight_callback_cost *cost);

/* The mean of times without the largest tenth; 0 without any. */
PINSIGHT_API double pinsight_callback_trimmed(const struct pinsight_callback_times *times);
PINSIGHT_API void pinsight_callback_add(struct pinsight_callback_times *times, uint64_t ticks);

#endif
