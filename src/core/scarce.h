/* Finds out whether the user of this process can make only few more threads. */
#ifndef PINSIGHT_CORE_SCARCE_H
#define PINSIGHT_CORE_SCARCE_H

#include <stdbool.h>

/* Returns whether the user is so close to the limit of processes and threads (`ulimit -u`) that the
 * program may lack a thread that PInsight makes. May read all of /proc. Any thread. */
bool pinsight_threads_are_scarce(void);

#endif
