/*
 * The process that sees a job's session to its end, where a launcher started `pinsight run`.
 *
 * A launcher watches the processes that it started, and those are `pinsight run`'s: it ends the job
 * when one of them fails, and kills the others, some without a warning. So the one that keeps the
 * session may neither stay until the other ranks have ended, when its own command failed (they may
 * wait for that rank for ever, and the launcher does not know), nor be the only one that can
 * complete the trace. A process of its own session, which no launcher knows, does that.
 */
#ifndef PINSIGHT_CLI_RUN_AFTER_H
#define PINSIGHT_CLI_RUN_AFTER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/spawn.h"
#include "cli/run_end.h"

/*
 * Starts it, before the command. It has copies of all that is given, holds the recording's
 * descriptors and stderr open and nothing else of this process's, and waits to be told how the
 * command ended; if this process is killed, it takes that for the command's end. False if there can
 * be none.
 */
bool pinsight_after_start(struct pinsight_worker *after, const struct pinsight_ending *ending,
                          const struct pinsight_signals *signals,
                          const struct pinsight_run_info *info);

/*
 * Tells it that the command ended with `status`, and waits until it has ended the session and told
 * the user: as long as that takes where the command did well, a short time where it failed. A
 * signal that would end us ends the waiting. False if it is gone and the caller has to do its work.
 */
bool pinsight_after_finish(struct pinsight_worker *after, const struct pinsight_ending *ending,
                           const struct pinsight_signals *signals, int status);

#endif
