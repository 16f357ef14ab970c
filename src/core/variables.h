/* The environment that this process had when PInsight was loaded, for what is started beside it. */
#ifndef PINSIGHT_CORE_VARIABLES_H
#define PINSIGHT_CORE_VARIABLES_H

#include "pinsight/pinsight.h"

/*
 * All variables but LD_PRELOAD and PInsight's own, by which a program would be traced. An array as
 * execve(2) takes it, NULL without memory. The program may change its environment at any moment,
 * without a lock that we could take: so this is a copy from before it began. Any thread.
 */
char *const *pinsight_variables_clean(void);

/* The value of a variable of PInsight's own (PINSIGHT_...) at that time, "" without one. */
PINSIGHT_API const char *pinsight_variables_own(const char *name);

#endif
