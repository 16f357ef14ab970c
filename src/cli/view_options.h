/* What the verbs that read a trace have in common on the command line. Each function says on
 * stderr what is wrong. */
#ifndef PINSIGHT_CLI_VIEW_OPTIONS_H
#define PINSIGHT_CLI_VIEW_OPTIONS_H

#include "reader/ctf/result.h"

#include <stdbool.h>

/* The end of the help of what shows a trace. */
#define CLI_STATUS_OF_READING                                                                      \
    "Exit status: 0 the trace was read, 1 it is damaged (what could be read is shown) or cannot "  \
    "be\nread, 2 the options are wrong, 130 Ctrl-C (what was read until then is shown).\n"

/* Sets *trace to the one argument that is left at optind, or where there is none to the newest
 * trace in this folder, and says which. Returns 0, or -1 after a message. */
int pinsight_option_trace(const char *verb, int argc, char **argv, const char **trace);

/* The folder to read for one that was typed: the run in it, where there is one (reader/ctf/runs.h).
 * NULL with a message where there are several. */
const char *pinsight_trace_chosen(const char *typed);

/* Warns of what is damaged in a trace that was read; and unless `quiet` of events that are missing.
 */
void pinsight_view_warn(const struct pinsight_source_result *source, bool quiet);

/* To be called where stdout could not be written (errno): a closed pipe is no error, everything
 * else is said. Returns the exit status. */
int pinsight_option_write_error(void);

#endif
