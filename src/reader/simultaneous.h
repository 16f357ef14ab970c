/* When what happened in two threads or processes counts as simultaneous.
 *
 * A processor may read its counter some instructions too early, and the counters of two sockets
 * differ a little. So an effect may be told up to so many nanoseconds before its cause: the end of
 * a wait before what it waited for. Where a view derives one from the other, it asks here. */
#ifndef PINSIGHT_READER_SIMULTANEOUS_H
#define PINSIGHT_READER_SIMULTANEOUS_H

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_SIMULTANEOUS_NS 200u

/* Whether what was told at one time may be the cause of what was told at another. */
static inline bool pinsight_may_cause(uint64_t cause_ns, uint64_t effect_ns) {
    return cause_ns <= effect_ns || cause_ns - effect_ns <= PINSIGHT_SIMULTANEOUS_NS;
}

/* The time of a cause: no later than its effect's, where it may be the cause. */
static inline uint64_t pinsight_cause_ns(uint64_t cause_ns, uint64_t effect_ns) {
    return cause_ns > effect_ns && pinsight_may_cause(cause_ns, effect_ns) ? effect_ns : cause_ns;
}

#endif
