/*
 * Who came to a run's session: a list beside the trace while the command runs, and what it says at
 * the end.
 *
 *   pinsight-processes.txt: a line for each process that asked to be recorded, "process PID HERE
 * START NAME" (its number for itself and here, START as in process.h), each time it asked, and one
 * for each `pinsight run` within the command, "run FOLDER". It is removed when the run has ended.
 */
#ifndef PINSIGHT_SESSION_ROLL_H
#define PINSIGHT_SESSION_ROLL_H

#include <sys/types.h>

#include "base/run_info.h"

/* Opens the list of the run with that folder, -1 if that cannot be done. */
int pinsight_roll_open(const char *output);

/* Notes a process: `pid` is its number for itself, `here` its number in this PID namespace (0: not
 * known). */
void pinsight_roll_note(int roll, pid_t pid, pid_t here);

/* Notes in the list of the run with the folder `outer` (NULL: there is none) that another run, with
 * the folder `output`, records a part of its command. */
void pinsight_roll_note_run(const char *outer, const char *output);

/* Removes the list of a run whose command could not be started. */
void pinsight_roll_remove(const char *output);

/*
 * For a session that has ended: fills in info->missing, missing_count, running and inner from the
 * list, and removes it. Waits a moment for processes that are about to end.
 */
void pinsight_roll_look(const char *output, struct pinsight_run_info *info);

/* The same of info->inner alone, where processes ask nobody. */
void pinsight_roll_look_at_runs(const char *output, struct pinsight_run_info *info);

#endif
