/* The folder that a run writes its trace into. */
#ifndef PINSIGHT_CLI_RUN_OUTPUT_H
#define PINSIGHT_CLI_RUN_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "session/job.h"

/*
 * What a run is called: the base name of the command, or where that is a Python interpreter, of the
 * script, folder or module that it runs, without its suffix.
 */
void pinsight_run_output_program(char *name, size_t room, char *const *command);

/*
 * Works out the absolute path: `typed`, or "pinsight-<program>" in the current folder, to which
 * pinsight_run_output_make() adds a number. A job on several hosts gets a folder of the host's name
 * in it, and one without a typed name is called for the job. False with a message in `why`.
 */
bool pinsight_run_output_name(char path[PATH_MAX], const char *typed, const char *program,
                              const struct pinsight_job *job, char *why, size_t room);

/*
 * Makes the folder with its parents, or takes an empty one that is own (base/own.h).
 * `may_number`: the name gets the number after the last one that is there: -1, -2 and so on, in a
 * folder that is there. `force`: the trace of an earlier run in it is removed. False with a message
 * in `why` if it is not empty, not a folder, not own, or cannot be written. *made: it was not there
 * before.
 */
bool pinsight_run_output_make(char path[PATH_MAX], bool may_number, bool force, bool *made,
                              char *why, size_t room);

/* Takes "." and ".." out of the path of a folder that is there, which a recorder may not take. */
void pinsight_run_output_straighten(char path[PATH_MAX]);

/* The same folder as one would type it: within the current folder, its path from there. */
const char *pinsight_run_output_short(const char *path);

#endif
