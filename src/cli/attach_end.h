/* The end of a recording that `pinsight attach` began. */
#ifndef PINSIGHT_CLI_ATTACH_END_H
#define PINSIGHT_CLI_ATTACH_END_H

#include <stdbool.h>

#include "base/run_info.h"

/*
 * Ends the recording of the processes that were attached into the folder `output`, or of one of
 * them alone where `pid` is not 0. Says of each that does not end why. Returns how many of the
 * folder go on to be recorded.
 */
unsigned pinsight_attach_let_go(const char *output, int pid);

/* Completes the trace, and prints its summary. Returns the exit status. */
int pinsight_attach_finish(const char *output, bool quiet, bool no_summary);

/* Nothing came of it: nothing of the recording stays in the folder, nor the folder where it was
 * `made` for it. */
void pinsight_attach_undo(const char *output, bool made);

#endif
