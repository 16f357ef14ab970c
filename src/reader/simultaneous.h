/*
 * The limit up to which events of two threads or processes count as simultaneous.
 *
 * A processor may read its counter some instructions too early, and the counters of two sockets
 * differ a little. So the time of an effect may precede that of its cause by up to this many ns. An
 * example is a wait that ends before the event that ends it. A view that derives one from the other
 * uses these functions.
 */
#ifndef PINSIGHT_READER_SIMULTANEOUS_H
#define PINSIGHT_READER_SIMULTANEOUS_H

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_SIMULTANEOUS_NS 200u

/* Returns whether an event with one time may be the cause of an event with another. */
static inline bool pinsight_may_cause(uint64_t cause_ns, uint64_t effect_ns) {
    return cause_ns <= effect_ns || cause_ns - effect_ns <= PINSIGHT_SIMULTANEOUS_NS;
}

/* Returns the time of a cause. The result is at most the time of the effect, if the one may be the
 * cause of the other. */
static inline uint64_t pinsight_cause_ns(uint64_t cause_ns, uint64_t effect_ns) {
    return cause_ns > effect_ns && pinsight_may_cause(cause_ns, effect_ns) ? effect_ns : cause_ns;
}

#endif
