/* Processes that `pinsight top PID` records while it shows them. */
#ifndef PINSIGHT_CLI_TOP_ATTACH_H
#define PINSIGHT_CLI_TOP_ATTACH_H

#include <stdbool.h>

#include "cli/attach_begin.h"

struct pinsight_top_attached {
    struct pinsight_attach_begun begun; /* its output is the trace to show */
    bool ours;                          /* this command began the recording, and ends it */
    bool kept;                          /* the user named the folder of the trace */
};

/* Returns whether an argument is the number of a process, and no folder has this name. */
bool pinsight_top_is_pid(const char *typed);

/*
 * Finds the trace of the process at argv[optind]. If there is none, begins to record its last part.
 * `last` is the length of this part, such as "10s". `output` is the folder for it, or NULL for a
 * temporary one. Returns 0, or an exit status after a message.
 */
int pinsight_top_attach(int argc, char **argv, const char *output, const char *last,
                        struct pinsight_top_attached *attached);

/* Returns whether a process records into the trace, or may do so. `is_over` means that the runner
 * of the recording has ended. Completes the streams of processes that have ended. */
bool pinsight_top_is_recorded(const char *trace, bool is_over);

/* Ends the recording if this command began it. Removes its folder unless it is kept, or a process
 * cannot be let go yet. */
void pinsight_top_detach(const struct pinsight_top_attached *attached);

#endif
