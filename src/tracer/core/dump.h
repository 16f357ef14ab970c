/* Dumps of the flight recorder, which a signal or the program requests. */
#ifndef PINSIGHT_CORE_DUMP_H
#define PINSIGHT_CORE_DUMP_H

#include "pinsight/pinsight.h"

#include <stdbool.h>

enum pinsight_dump_answer {
    PINSIGHT_DUMP_REQUESTED,
    PINSIGHT_DUMP_PENDING, /* an earlier request has not begun, and serves this one, too */
    PINSIGHT_DUMP_NO_RING, /* this process has no flight recorder */
};

/* Requests a dump of everything that the run's processes have recorded until it begins. `output` is
 * the folder of the trace, or "" for the one in the environment with which the process began. It
 * is copied. Returns at once: the control thread makes the dump. Any thread. */
PINSIGHT_API enum pinsight_dump_answer pinsight_dump_request(const char *output);

/* Returns whether a dump was requested since the last call. Control thread. */
bool pinsight_dump_wanted(void);

/* Forgets the parent's request in a forked child. */
void pinsight_dump_fork_child(void);

/* Starts a helper and waits some seconds for it. The helper copies everything that the run's
 * processes have recorded so far into a new folder beside the trace, and reports the folder on
 * stderr. Control thread. */
void pinsight_dump(void);

#endif
