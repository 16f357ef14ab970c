/* How a thread counts the events that it records, in the memory of format/counts.h. */
#ifndef PINSIGHT_RECORD_COUNTED_H
#define PINSIGHT_RECORD_COUNTED_H

#include "format/counts.h"
#include "tracer/record/tls.h"

#include <stdbool.h>

#ifndef PINSIGHT_RECORD_UNCOUNTED
/* The counts of this process's threads (tracer/core/recorded.c). */
extern struct pinsight_counts pinsight_recorded_counts;

/* The first place is for threads without a state. Several threads can use it at once, so some
 * events may not be counted. No event is counted that was not recorded. */
#define PINSIGHT_RECORDED_STATELESS (&pinsight_recorded_counts.places[0])

/*
 * Counts an event that was recorded. `listened` is the previous result of the event's _enabled()
 * function: an event without a listener is not in a trace.
 */
static inline void pinsight_recorded_count(bool listened) {
    struct pinsight_recorded *recorded = pinsight_tls()->recorded;
    __atomic_store_n(&recorded->events,
                     __atomic_load_n(&recorded->events, __ATOMIC_RELAXED) + listened,
                     __ATOMIC_RELAXED);
}
#else
/* For benches and tests, which make events without the core. */
static inline void pinsight_recorded_count(bool listened) {
    (void)listened;
}
#endif

#endif
