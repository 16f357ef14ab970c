/* Finds out whether the user of this process can make only few more threads. */
#ifndef PINSIGHT_CORE_THREAD_LIMIT_H
#define PINSIGHT_CORE_THREAD_LIMIT_H

#include <stdbool.h>

/* Returns whether the user is so close to the limit of processes and threads (`ulimit -u`) that the
 * program may lack a thread that PInsight makes. May read all of /proc. Any thread. */
bool pinsight_thread_limit_is_near(void);

#endif
