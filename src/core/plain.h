/* PINSIGHT_PLAIN=1 in the traced process; base/plain.h has what it means. */
#ifndef PINSIGHT_CORE_PLAIN_H
#define PINSIGHT_CORE_PLAIN_H

#include "base/plain.h"
#include "core/process.h"

/* Is it in force? From the moment that libpinsight is loaded. Any thread. */
static inline bool pinsight_plain(void) {
    return pinsight_process.plain;
}

/* Something is not recorded because of it: the summary says so; without a run, stderr. Said once in
 * each process. Any thread; as safe in a forked child as snprintf() is. */
PINSIGHT_API void pinsight_plain_lost(enum pinsight_plain_loss loss);

#endif
