/*
 * The watchdog of lossless runs. There a full buffer makes a thread wait for the consumer daemon,
 * two seconds at most for each event. If that daemon is dead or stopped, the program would go on at
 * two seconds an event: a thread that is seen inside one event for long makes the watchdog put
 * every domain into STANDBY, with one message.
 */
#ifndef PINSIGHT_CORE_WATCHDOG_H
#define PINSIGHT_CORE_WATCHDOG_H

#include "pinsight/pinsight.h"

/* Start the watchdog in a lossless process that has none; else do nothing. Any thread. */
PINSIGHT_API void pinsight_watchdog_start(void);

/* Nobody reads the buffers: every domain goes into STANDBY at its next callback, and nothing that
 * may block is recorded any more; says so once. */
void pinsight_watchdog_stuck(void);

/* In a forked child: the thread is not there any more. */
void pinsight_watchdog_fork_child(void);

#endif
