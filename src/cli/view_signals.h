/* Signals of the verbs that read a trace. */
#ifndef PINSIGHT_CLI_VIEW_SIGNALS_H
#define PINSIGHT_CLI_VIEW_SIGNALS_H

#include <signal.h>

/* Installs the handlers. The first Ctrl-C ends the reading and keeps the result; a second one ends
 * the command. A closed pipe is an error of writing, and no signal. Any deadly signal removes
 * half-written output and copies of traces first. Includes pinsight_view_guard(1). Returns the flag
 * that Ctrl-C sets. */
const volatile sig_atomic_t *pinsight_view_signals(void);

/* Makes Ctrl-C, SIGTERM and SIGHUP set the flag only, each time, for a command that has to let
 * another process go before it ends. After pinsight_view_signals(). */
void pinsight_view_signals_stop(void);

/* Removes temporary files before a signal ends the command. If a file of the trace becomes shorter
 * while it is read, writes a message and ends the process with `status`. */
void pinsight_view_guard(int status);

#endif
