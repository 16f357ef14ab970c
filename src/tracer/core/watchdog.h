/*
 * The watchdog of lossless runs. In these, a full buffer makes a thread wait for the consumer
 * daemon, for two seconds at most at each event. With a dead or stopped daemon, the program would
 * take two seconds for each event. Therefore the watchdog puts every domain into STANDBY, with one
 * message, when a thread stays inside one event for long.
 */
#ifndef PINSIGHT_CORE_WATCHDOG_H
#define PINSIGHT_CORE_WATCHDOG_H

#include "pinsight/pinsight.h"

/* Starts the watchdog in a lossless process that has none. Any thread. */
PINSIGHT_API void pinsight_watchdog_start(void);

/* Called when the buffers have no reader. Every domain goes into STANDBY at its next callback, and
 * no event that may wait is recorded. One message reports this. */
void pinsight_watchdog_stuck(void);

/* For a forked child, which has no such thread. */
void pinsight_watchdog_fork_child(void);

#endif
