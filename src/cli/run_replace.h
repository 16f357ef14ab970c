/* Removes the trace of an earlier run (`pinsight run --force`). */
#ifndef PINSIGHT_CLI_RUN_REPLACE_H
#define PINSIGHT_CLI_RUN_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Empties the folder of an earlier run. Removes nothing if the folder has other files, if it is not
 * that of a run, or if processes of that run still record. Then returns false with a message in
 * `why`. One thread.
 */
bool pinsight_run_replace(const char *folder, char *why, size_t room);

#endif
