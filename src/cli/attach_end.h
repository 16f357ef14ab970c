/* The end of a recording that `pinsight attach` began. */
#ifndef PINSIGHT_CLI_ATTACH_END_H
#define PINSIGHT_CLI_ATTACH_END_H

#include <stdbool.h>

#include "base/run_info.h"

/*
 * Ends the recording of the processes that were attached into the folder `output`. If `pid` is not
 * 0, ends only that of this process. Writes a message for each process that does not stop in time.
 * Returns the number of attached processes that are recorded into the folder after that.
 */
unsigned pinsight_attach_let_go(const char *output, int pid);

/* Completes the trace, and prints its summary unless `no_summary`. Returns the exit status. */
int pinsight_attach_finish(const char *output, bool quiet, bool no_summary);

/* Removes the files of a recording that did not begin. Removes the folder, too, if it was `made`
 * for the recording. */
void pinsight_attach_undo(const char *output, bool made);

#endif
