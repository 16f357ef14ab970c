/* What MONITORING had counted in a process that could not write it: as events, in a stream of its
 * own. */
#ifndef PINSIGHT_RECORD_FILE_FINISH_COUNTS_H
#define PINSIGHT_RECORD_FILE_FINISH_COUNTS_H

#include "record/file/layout.h"

#include <stdbool.h>

/* Is that the name of the first file of a process's counts (keep.h)? */
bool pinsight_counts_is_name(const char *name);

/* Finishes the counts of a process that has ended, and removes its files; those of another process
 * stay. In a folder that is own and locked. Returns 0 or an errno. */
int pinsight_counts_finish(int folder, const char *name, const struct pinsight_control *control);

#endif
