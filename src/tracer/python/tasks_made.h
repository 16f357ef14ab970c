/* Whether the program made tasks of asyncio, where tasks are not recorded: in the plain form and in
 * free-threaded builds. */
#ifndef PINSIGHT_PYTHON_TASKS_MADE_H
#define PINSIGHT_PYTHON_TASKS_MADE_H

#include <stdbool.h>

/*
 * Returns false if asyncio is not imported, or if none of the functions that make a task of
 * asyncio's own event loop was called in this process. Returns true if that is not known: the
 * functions of the program are not observed, the recording began later, or the event loop is
 * another one, for instance uvloop's.
 *
 * Holds the GIL. There is no pending exception. Runs no code of the program.
 */
bool pinsight_tasks_were_made(void);

#endif
