/* Functions for the command lines of the verbs that read a trace. Each reports errors on stderr. */
#ifndef PINSIGHT_CLI_VIEW_OPTIONS_H
#define PINSIGHT_CLI_VIEW_OPTIONS_H

#include "reader/ctf/result.h"

#include <stdbool.h>

/* The end of the help of verbs that show a trace. */
#define CLI_STATUS_OF_READING                                                                      \
    "Exit status: 0 the trace was read, 1 it is damaged or unreadable, 2 wrong options, 130 "      \
    "Ctrl-C.\nThe part that was read is shown.\n"

/* Sets *trace to the only argument, at optind. Without an argument, takes the newest trace in this
 * folder, with a message. Returns 0, or -1 after a message. */
int pinsight_option_trace(const char *verb, int argc, char **argv, const char **trace);

/* Returns the folder to read for one that was typed: the run in it, if there is one
 * (reader/ctf/runs.h). Returns NULL after a message if there are several. The result stays until
 * the end. */
const char *pinsight_trace_chosen(const char *typed);

/* Warns of damage in a trace that was read, and of missing events unless `quiet`. */
void pinsight_view_warn(const struct pinsight_source_result *source, bool quiet);

/* Called after a failed write to stdout, with errno. Reports the error, except for a closed pipe.
 * Returns the exit status. */
int pinsight_option_write_error(void);

#endif
