/* Where things are: PInsight's own libraries, LTTng's run directory, folders to make. */
#ifndef PINSIGHT_SESSION_PATHS_H
#define PINSIGHT_SESSION_PATHS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The folder with libpinsight-preload.so and its companions: $PINSIGHT_LIBDIR, else
 * ../lib/pinsight seen from the folder of this executable. Writes PATH_MAX bytes at most to
 * `folder`; false if the executable cannot be found.
 */
bool pinsight_path_libdir(char folder[PATH_MAX]);

/*
 * The run directory of the session daemon that this user's programs register with: /var/run/lttng
 * for root, else .lttng below $LTTNG_HOME or $HOME (lttng-sessiond(8), FILES). False if neither
 * variable is set.
 */
bool pinsight_path_lttng_rundir(char folder[PATH_MAX]);

/*
 * Makes sure that a session daemon can have its run directory: where neither $LTTNG_HOME nor $HOME
 * is usable (not set, not writable, too long for a socket's name, or on a network file system,
 * where two hosts would fight for one socket), sets LTTNG_HOME to a folder of this host. Does
 * nothing for root. On false `why` says what is in the way.
 */
bool pinsight_path_prepare_lttng_home(char *why, size_t room);

/*
 * A folder for this user's files of a running PInsight: $XDG_RUNTIME_DIR/pinsight, else
 * /tmp/pinsight-<uid>; made with mode 0700. False if it cannot be made, or is not this user's
 * alone.
 */
bool pinsight_path_runtime(char folder[PATH_MAX]);

/* mkdir -p. Returns 0, or an errno. */
int pinsight_path_make(const char *folder, unsigned mode);

/* Removes a folder with all that is in it; symbolic links are not followed. */
void pinsight_path_remove(const char *folder);

/* Is there a folder with nothing in it? */
bool pinsight_path_is_empty_folder(const char *folder);

/* Joins two parts with a slash; false if the whole does not fit into PATH_MAX. */
bool pinsight_path_join(char whole[PATH_MAX], const char *folder, const char *name);

#endif
