/*
 * Signals that a process takes, in front of the program's handlers: SIGUSR1, on which it reads its
 * configuration file again, and that of PINSIGHT_RING_SIGNAL, on which the flight recorder is
 * dumped. The handler notes the signal and wakes the control thread, which does the rest.
 */
#ifndef PINSIGHT_CORE_SIGNALS_H
#define PINSIGHT_CORE_SIGNALS_H

#include "pinsight/pinsight.h"

#include <stdbool.h>

enum pinsight_signal { PINSIGHT_SIGNAL_RELOAD, PINSIGHT_SIGNAL_DUMP, PINSIGHT_SIGNALS };

/* Whether any signal is to be taken: a configuration file is in force, or there is a flight
 * recorder with a signal. Any thread. */
PINSIGHT_API bool pinsight_signals_wanted(void);

/* Take them; again after the program may have taken one. Any thread. */
PINSIGHT_API void pinsight_signals_take(void);

/* Whether it came since this was asked last. The control thread. */
bool pinsight_signal_came(enum pinsight_signal signal);

/* In a forked child: whether one came that nobody has asked for yet. */
bool pinsight_signals_fork_child(void);

#endif
