/* Observing by public interfaces alone in the traced process; base/plain.h has what it means. */
#ifndef PINSIGHT_CORE_PLAIN_H
#define PINSIGHT_CORE_PLAIN_H

#include "base/plain.h"
#include "core/process.h"

/* Was it asked for (PINSIGHT_PLAIN=1)? From the moment that libpinsight is loaded. Any thread. */
static inline bool pinsight_plain(void) {
    return pinsight_process.plain;
}

/* A Python of this process is observed so, though nobody asked for it: `why`, kept, is a sentence
 * without its full stop, and `cure` a part of one. Said once in a run. */
PINSIGHT_API void pinsight_plain_is_all(const char *why, const char *cure);

/* "because of PINSIGHT_PLAIN=1", or why it is so otherwise: a part of a sentence. Any thread. */
PINSIGHT_API const char *pinsight_plain_because(void);

/* Something is not recorded because of it: the summary says so; without a run, stderr. Said once in
 * each process. Any thread; as safe in a forked child as snprintf() is. */
PINSIGHT_API void pinsight_plain_lost(enum pinsight_plain_loss loss);

#endif
