/*
 * The process that ends a job's session, if a launcher started `pinsight run`.
 *
 * A launcher watches the processes that it started, which are those of `pinsight run`. If one of
 * them fails, it ends the job, and kills the others, some without a warning. One of them has the
 * session. If its command fails, it cannot wait for the other ranks. The other ranks may wait for
 * that rank, and the launcher would not learn of the failure. Nor can it be the only process that
 * can complete the trace. A process with a session of its own, unknown to the launcher, completes
 * the trace.
 */
#ifndef PINSIGHT_CLI_RUN_AFTER_H
#define PINSIGHT_CLI_RUN_AFTER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/spawn.h"
#include "cli/run_end.h"

/*
 * Starts the process, before the command. The process gets copies of the arguments, keeps the
 * recording's descriptors and stderr open, and waits for pinsight_after_finish(). If the calling
 * process is killed, the new process assumes that the command has ended. Returns false if no
 * process can be started.
 */
bool pinsight_after_start(struct pinsight_worker *after, const struct pinsight_ending *ending,
                          const struct pinsight_signals *signals,
                          const struct pinsight_run_info *info);

/*
 * Passes on the command's wait status, and waits until the process has ended the session and
 * informed the user. The wait has no limit if the status is 0, and is short otherwise. A deadly
 * signal ends the wait. Returns false if the process does not exist any more; the caller then ends
 * the session itself.
 */
bool pinsight_after_finish(struct pinsight_worker *after, const struct pinsight_ending *ending,
                           const struct pinsight_signals *signals, int status);

#endif
