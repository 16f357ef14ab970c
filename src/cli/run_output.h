/* The folder that a run writes its trace into. */
#ifndef PINSIGHT_CLI_RUN_OUTPUT_H
#define PINSIGHT_CLI_RUN_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/job.h"

/*
 * Writes the name of a run: the base name of the command. For a Python interpreter, the name is
 * that of the script, folder or module, without its suffix.
 */
void pinsight_run_output_program(char *name, size_t room, char *const *command);

/*
 * Determines the absolute path: `typed`, or "pinsight-<program>" in the current folder, to which
 * pinsight_run_output_make() adds a number. A job on several hosts gets a folder with the host's
 * name in it. A job without a typed name has its own name in the path. Returns false with a message
 * in `why`.
 */
bool pinsight_run_output_name(char path[PATH_MAX], const char *typed, const char *program,
                              const struct pinsight_job *job, char *why, size_t room);

/*
 * Makes the folder with its parents, or takes an empty one that is own (base/safe_files.h).
 * `may_number` adds -N to the name, with the next free number after the existing folders. `force`
 * removes the trace of an earlier run in the folder. Sets *made if the folder did not exist.
 * Returns false with a message in `why` if it is not empty, no folder, not own, or not writable.
 */
bool pinsight_run_output_make(char path[PATH_MAX], bool may_number, bool force, bool *made,
                              char *why, size_t room);

/* Removes "." and ".." from the path of an existing folder, because a recorder may refuse them. */
void pinsight_run_output_straighten(char path[PATH_MAX]);

/* Returns a tenth of the free space of a folder's file system, in bytes, but at least 1 MiB; or
 * UINT64_MAX if it is unknown (statvfs(3)). */
uint64_t pinsight_run_output_room(const char *path);

/* Returns a path to the same folder that is short to type: from the current folder, if it is below
 * that. */
const char *pinsight_run_output_short(const char *path);

#endif
