/*
 * The clocks of threads, with LTTng: before an event it is looked whether the calling thread's is
 * to be read, by the processor's counter. What is kept of a thread is beside its stream
 * (record/tls.h).
 */
#ifndef PINSIGHT_RECORD_LTTNG_THREAD_CLOCK_H
#define PINSIGHT_RECORD_LTTNG_THREAD_CLOCK_H

#include "pinsight/pinsight.h"
#include "record/stream.h"
#include "record/tls.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef PINSIGHT_RECORD_UNCOUNTED
/* Ticks. */
extern PINSIGHT_API uint64_t pinsight_lttng_clock_gap; /* atomic */

/* Record thread_clock at `now`, ticks. Nothing of a thread that has no state. */
PINSIGHT_API void pinsight_lttng_clock_read(uint64_t now);

/* Before an event that somebody listens to. */
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
/* For programs that make events without the core: benches and tests. */
static inline void pinsight_lttng_clock_look(bool listened) {
    (void)listened;
}
#endif

/* Once, before the first event; and in a forked child, whose thread has had no processor yet. */
void pinsight_lttng_clock_ready(void);
void pinsight_lttng_clock_fork_child(void);

#endif
