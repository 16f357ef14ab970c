/* The folder of a session daemon: in its user's home, if the home is suitable. */
#ifndef PINSIGHT_SESSION_LTTNG_HOME_H
#define PINSIGHT_SESSION_LTTNG_HOME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the run directory of the session daemon with which this user's programs register:
 * /var/run/lttng for root, else .lttng below $LTTNG_HOME or $HOME (lttng-sessiond(8), FILES).
 * Returns false if neither variable is set.
 */
bool pinsight_lttng_rundir(char folder[PATH_MAX]);

/*
 * Ensures that a session daemon can have its run directory. The folder in $LTTNG_HOME or $HOME may
 * be unusable: not set, not writable, or too long for a socket's name. On a network file system,
 * daemons of two hosts would use the same socket. Then sets LTTNG_HOME to a folder of this host.
 * Does nothing for root. On failure, returns false with the reason in `why`.
 */
bool pinsight_lttng_prepare_home(char *why, size_t room);

#endif
