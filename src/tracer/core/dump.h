/* A dump of the flight recorder on a signal. */
#ifndef PINSIGHT_CORE_DUMP_H
#define PINSIGHT_CORE_DUMP_H

/* Starts a helper and waits some seconds for it. The helper copies everything that the run's
 * processes have recorded so far into a new folder beside the trace, and reports the folder on
 * stderr. Control thread. */
void pinsight_dump_by_signal(void);

#endif
