/* The environment of this process from the time when PInsight was loaded, for helper processes. */
#ifndef PINSIGHT_CORE_VARIABLES_H
#define PINSIGHT_CORE_VARIABLES_H

#include "pinsight/pinsight.h"

/*
 * Returns all variables except LD_PRELOAD and PInsight's own, which would make a program traced. An
 * array for execve(2), NULL without memory. The program may change its environment at any moment,
 * without a lock that PInsight could take. Therefore this is a copy from before the program
 * started. Any thread.
 */
char *const *pinsight_variables_clean(void);

/* Returns the value of a variable PINSIGHT_… at that time, or "". */
PINSIGHT_API const char *pinsight_variables_own(const char *name);

#endif
