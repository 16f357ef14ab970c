/*
 * The clocks of threads with LTTng. Before an event, the processor's counter decides whether to
 * read the calling thread's clock. The state of a thread is beside its stream
 * (tracer/record/tls.h).
 */
#ifndef PINSIGHT_RECORD_LTTNG_THREAD_CLOCK_H
#define PINSIGHT_RECORD_LTTNG_THREAD_CLOCK_H

#include "pinsight/pinsight.h"
#include "tracer/record/stream.h"
#include "tracer/record/tls.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef PINSIGHT_RECORD_UNCOUNTED
/* The gap between events, in ticks, after which the clock is read. */
extern PINSIGHT_API uint64_t pinsight_lttng_clock_gap; /* atomic */

/* Records thread_clock at `now` (ticks). Does nothing for a thread without a state. */
PINSIGHT_API void pinsight_lttng_clock_read(uint64_t now);

/* Called before an event. Reads the clock if the event has a listener and the clock is due. */
static inline void pinsight_lttng_clock_look(bool listened) {
    struct pinsight_tls *tls = pinsight_tls();
    uint64_t now = pinsight_stream_ticks();
    if (!listened)
        return;
    if (__builtin_expect(now - tls->look.last >
                                 __atomic_load_n(&pinsight_lttng_clock_gap, __ATOMIC_RELAXED) ||
                             now >= tls->look.at,
                         0))
        pinsight_lttng_clock_read(now);
    else
        tls->look.last = now;
}
#else
/* For benches and tests, which make events without the core. */
static inline void pinsight_lttng_clock_look(bool listened) {
    (void)listened;
}
#endif

/* Prepares the clocks, once before the first event; and in a forked child, whose thread has no
 * processor time yet. */
void pinsight_lttng_clock_ready(void);
void pinsight_lttng_clock_fork_child(void);

#endif
