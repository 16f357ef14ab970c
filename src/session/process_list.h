/*
 * The processes that asked to join a run's session: a list beside the trace while the command runs,
 * and its evaluation at the end.
 *
 *   pinsight-processes.txt: a line "process PID HERE START NAME" for each process and each time
 * that it asked to be recorded (its number for itself and here, START as in process.h); and a line
 *       "run FOLDER" for each `pinsight run` within the command. Removed when the run has ended.
 */
#ifndef PINSIGHT_SESSION_PROCESS_LIST_H
#define PINSIGHT_SESSION_PROCESS_LIST_H

#include <sys/types.h>

#include "base/run_info.h"

/* Opens the list of the run with an output folder. Returns -1 on failure. */
int pinsight_process_list_open(const char *output);

/* Notes a process. `pid` is its number for itself, `here` its number in this PID namespace (0:
 * unknown). */
void pinsight_process_list_note(int list, pid_t pid, pid_t here);

/* Notes in the list of the run with the folder `outer` (NULL: none) that another run records a part
 * of its command into the folder `output`. */
void pinsight_process_list_note_run(const char *outer, const char *output);

/* Removes the list of a run whose command could not be started. */
void pinsight_process_list_remove(const char *output);

/*
 * Fills in info->missing, missing_count, running and inner from the list, and removes the list.
 * Called when the session has ended. Waits a moment for processes that are about to end.
 */
void pinsight_process_list_evaluate(const char *output, struct pinsight_run_info *info);

/* Fills in info->inner alone, if processes do not ask to join. */
void pinsight_process_list_evaluate_runs(const char *output, struct pinsight_run_info *info);

#endif
