/*
 * Whether the configuration selects this process: [Python.punit.process]. A process that
 * multiprocessing has started has a number and a name, which it learns when its Process object
 * begins to run. Any other process has the number 0. setproctitle gives a further name. All
 * functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_PROCESS_CHOICE_H
#define PINSIGHT_PYTHON_PROCESS_CHOICE_H

#include <stdbool.h>

/* Keeps the present title, with which later ones are compared. */
void pinsight_process_choice_start(void);

/* Reads the selection from the configuration, and looks at the names. If it does not have every
 * process, observes from now on where names are given. Keeps a pending exception. */
void pinsight_process_choice_read(void);

/* Returns whether the configuration excludes this process. */
bool pinsight_process_is_excluded(void);

/* Returns whether a process with another name might be excluded. */
bool pinsight_process_is_chosen(void);

#endif
