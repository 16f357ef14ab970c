/*
 * The variables of a run, for children that are given an environment of their own. See environ.c.
 */
#ifndef PINSIGHT_PRELOAD_ENVIRON_H
#define PINSIGHT_PRELOAD_ENVIRON_H

#include "preload/preload.h"

#include <stddef.h>

/* Keeps a copy of what the run has set, unless the user has PINSIGHT_LEAVE_ENVIRONMENTS set. Called
 * in the constructor. */
void pinsight_environ_keep(void);

/* From now on nothing is put back: for `pinsight` itself, which says to each process that it starts
 * what it is to have. */
PINSIGHT_EXPORT void pinsight_preload_leave(void);

/* How many bytes pinsight_environ_merge() needs for an environment, as execve(2) takes it; 0 if
 * nothing is missing in it, or is to be put back. NULL is an empty one. Safe after vfork(). */
size_t pinsight_environ_need(char *const *variables);

/* Writes the environment with what is missing to `room`, aligned as for a pointer. Its strings lie
 * there, in `variables` and in what was kept. Safe after vfork(). */
char **pinsight_environ_merge(char *const *variables, void *room);

/* Takes out of `environ` what was put back, in place. To be called while there is one thread. */
void pinsight_environ_hide(void);

/* Puts it back, into a new list. */
void pinsight_environ_show(void);

#endif
