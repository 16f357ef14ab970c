/* Records the counts of MONITORING for a process that could not record them, as events in a stream
 * of its own. */
#ifndef PINSIGHT_FORMAT_FINISH_COUNTS_H
#define PINSIGHT_FORMAT_FINISH_COUNTS_H

#include "format/layout.h"

#include <stdbool.h>

/* Returns whether a name is that of the first file of a process's counts (persistent.h). */
bool pinsight_counts_is_name(const char *name);

/* Finishes the counts of a process that has ended, and removes its files. Files of other processes
 * stay. The folder must be own and locked. Returns 0 or an errno. */
int pinsight_counts_finish(int folder, const char *name, const struct pinsight_control *control);

#endif
