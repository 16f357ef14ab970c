/* Signals of the verbs that read a trace. */
#ifndef PINSIGHT_CLI_VIEW_SIGNALS_H
#define PINSIGHT_CLI_VIEW_SIGNALS_H

#include <signal.h>

/* Ctrl-C ends the reading and keeps what there is (a second one ends the command); a closed pipe is
 * an error of writing and no signal; whatever ends the command, half of an output and copies of
 * traces go before. Includes pinsight_view_guard(1). Returns the flag that Ctrl-C sets. */
const volatile sig_atomic_t *pinsight_view_signals(void);

/* Where a signal ends the command, what must not outlive it goes before. Where a file of the trace
 * becomes shorter while it is read, the user is told so, and the process ends with this status. */
void pinsight_view_guard(int status);

#endif
