/* Paths: PInsight's own libraries, its folder at run time, and folders to make or remove. */
#ifndef PINSIGHT_BASE_PATHS_H
#define PINSIGHT_BASE_PATHS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the folder with libpinsight-preload.so and the other libraries: $PINSIGHT_LIBDIR, or else
 * ../lib/pinsight relative to the folder of this executable. Writes at most PATH_MAX bytes to
 * `folder`. Returns false if the executable cannot be found.
 */
bool pinsight_path_libdir(char folder[PATH_MAX]);

/*
 * Finds or makes the folder for this user's files of a running PInsight: $XDG_RUNTIME_DIR/pinsight,
 * or else /tmp/pinsight-<uid>, or, if another user has made that, /tmp/pinsight-<uid>-1 to -15. The
 * folder has mode 0700. Returns false if no folder can be made that only this user can use;
 * `folder` is then the first one in /tmp.
 */
bool pinsight_path_runtime(char folder[PATH_MAX]);

/* Makes a folder with `mode`, and missing parents with mode 0777, each less the umask. The owner
 * always keeps all rights. Returns 0 or an errno. */
int pinsight_path_make(const char *folder, unsigned mode);

/* Removes a folder and its content. Does not follow symbolic links. */
void pinsight_path_remove(const char *folder);

/* Returns whether `folder` is an existing, empty folder. */
bool pinsight_path_is_empty_folder(const char *folder);

/* Joins two parts with a slash. Returns false if the result does not fit into PATH_MAX. */
bool pinsight_path_join(char whole[PATH_MAX], const char *folder, const char *name);

#endif
