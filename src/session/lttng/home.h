/* Where a session daemon has its run directory: in its user's home, where that can hold it. */
#ifndef PINSIGHT_SESSION_LTTNG_HOME_H
#define PINSIGHT_SESSION_LTTNG_HOME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The run directory of the session daemon that this user's programs register with: /var/run/lttng
 * for root, else .lttng below $LTTNG_HOME or $HOME (lttng-sessiond(8), FILES). False if neither
 * variable is set.
 */
bool pinsight_lttng_rundir(char folder[PATH_MAX]);

/*
 * Makes sure that a session daemon can have its run directory: where neither $LTTNG_HOME nor $HOME
 * is usable (not set, not writable, too long for a socket's name, or on a network file system,
 * where two hosts would fight for one socket), sets LTTNG_HOME to a folder of this host. Does
 * nothing for root. On false `why` says what is in the way.
 */
bool pinsight_lttng_prepare_home(char *why, size_t room);

#endif
