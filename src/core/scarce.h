/* Whether threads are scarce for the user of this process. */
#ifndef PINSIGHT_CORE_SCARCE_H
#define PINSIGHT_CORE_SCARCE_H

#include <stdbool.h>

/* Is the user so near to the limit of processes and threads (`ulimit -u`) that a thread of ours may
 * be one that the program lacks? Looks into all of /proc where that may be so. Any thread. */
bool pinsight_threads_are_scarce(void);

#endif
