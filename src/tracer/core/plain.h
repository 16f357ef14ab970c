/* The plain form in the traced process: observing by public interfaces alone (base/plain.h). */
#ifndef PINSIGHT_CORE_PLAIN_H
#define PINSIGHT_CORE_PLAIN_H

#include "base/plain.h"
#include "tracer/core/process.h"

/* Returns whether PINSIGHT_PLAIN=1 asks for the plain form. Valid as soon as libpinsight is loaded.
 * Any thread. */
static inline bool pinsight_plain(void) {
    return pinsight_process.plain;
}

/* Notes that a Python of this process is observed in the plain form although the user did not ask
 * for it. `why` is a sentence without its full stop, which must stay valid; `cure` is a part of a
 * sentence. One process of a run reports it. */
PINSIGHT_API void pinsight_plain_is_all(const char *why, const char *cure);

/* Returns "because of PINSIGHT_PLAIN=1" or the other reason for the plain form: a part of a
 * sentence. Any thread. */
PINSIGHT_API const char *pinsight_plain_because(void);

/* Reports data that the plain form cannot record: to the summary, or on stderr without a run.
 * Reports once in each process. Any thread. As safe in a forked child as snprintf(). */
PINSIGHT_API void pinsight_plain_lost(enum pinsight_plain_loss loss);

#endif
