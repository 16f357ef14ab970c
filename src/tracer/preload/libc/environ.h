/* The variables of a run, for children that get an environment of their own; see environ.c. */
#ifndef PINSIGHT_PRELOAD_ENVIRON_H
#define PINSIGHT_PRELOAD_ENVIRON_H

#include "tracer/preload/preload.h"

#include <stddef.h>

/* Keeps a copy of the run's variables, unless the user has set PINSIGHT_LEAVE_ENVIRONMENTS. Called
 * in the constructor. */
void pinsight_environ_keep(void);

/* Stops adding variables. For `pinsight` itself, which sets the environment of each process that it
 * starts. */
PINSIGHT_EXPORT void pinsight_preload_leave(void);

/* Returns the number of bytes that pinsight_environ_merge() needs for an environment in the form of
 * execve(2). Returns 0 if no variable is missing, or none is to be added. NULL is an empty
 * environment. Safe after vfork(). */
size_t pinsight_environ_need(char *const *variables);

/* Writes the environment with the missing variables to `room`, which is aligned for pointers. The
 * strings are in `room`, in `variables` and in the copy of pinsight_environ_keep(). Safe after
 * vfork(). */
char **pinsight_environ_merge(char *const *variables, void *room);

/* Removes the added variables from `environ`, in place. Called while there is one thread. */
void pinsight_environ_hide(void);

/* Adds these variables again, in a new list. */
void pinsight_environ_show(void);

#endif
