/* A dump of the flight recorder that a signal asked for. */
#ifndef PINSIGHT_CORE_DUMP_H
#define PINSIGHT_CORE_DUMP_H

/* Starts a helper, which copies what the processes of the trace's folder recorded so far into a new
 * folder beside it and says so on stderr, and waits some seconds for it. The control thread. */
void pinsight_dump_by_signal(void);

#endif
