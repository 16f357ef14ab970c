/* Signals of the verbs that read a trace. */
#ifndef PINSIGHT_CLI_VIEW_SIGNALS_H
#define PINSIGHT_CLI_VIEW_SIGNALS_H

#include <signal.h>

/* Ctrl-C ends the reading and keeps what there is (a second one ends the command); a closed pipe is
 * an error of writing and no signal; where babeltrace2 gives up on damage that it does not expect,
 * the user is told what happened. Returns the flag that Ctrl-C sets. */
const volatile sig_atomic_t *pinsight_view_signals(void);

#endif
