/* Where things are: PInsight's own libraries, its folder while it runs, folders to make. */
#ifndef PINSIGHT_BASE_PATHS_H
#define PINSIGHT_BASE_PATHS_H

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
 * A folder for this user's files of a running PInsight: $XDG_RUNTIME_DIR/pinsight, else
 * /tmp/pinsight-<uid>, or where another user has made that, /tmp/pinsight-<uid>-1 to -15; made with
 * mode 0700. False if none can be made that is this user's alone; then `folder` is the first in
 * /tmp.
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
