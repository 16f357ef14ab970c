/*
 * Signals that PInsight handles before the program's handlers. On SIGUSR1 the process reads its
 * configuration file again. On the signal of PINSIGHT_RING_SIGNAL it dumps the flight recorder. The
 * handler notes the signal and wakes the control thread, which does the rest.
 */
#ifndef PINSIGHT_CORE_SIGNALS_H
#define PINSIGHT_CORE_SIGNALS_H

#include "pinsight/pinsight.h"

#include <stdbool.h>

enum pinsight_signal { PINSIGHT_SIGNAL_RELOAD, PINSIGHT_SIGNAL_DUMP, PINSIGHT_SIGNALS };

/* Returns whether PInsight needs a signal: for a configuration file, or for a flight recorder with
 * a signal. Any thread. */
PINSIGHT_API bool pinsight_signals_wanted(void);

/* Installs the handlers. Called again when the program may have replaced one. Any thread. */
PINSIGHT_API void pinsight_signals_take(void);

/* Restores the program's handlers wherever PInsight's are still installed. Any thread. */
void pinsight_signals_give_back(void);

/* Returns whether this process may block signals (held_signals.h). A filter of the program's may
 * forbid it (seccomp(2)). Any thread, also in a signal handler. */
PINSIGHT_API bool pinsight_signals_may_wait(void);

/* Returns whether the signal has come since the last call. Control thread. */
bool pinsight_signal_came(enum pinsight_signal signal);

/* Resets the lock in a forked child. Returns whether a signal has come that no call has returned
 * yet. */
bool pinsight_signals_fork_child(void);

#endif
