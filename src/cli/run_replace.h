/* Removing the trace of an earlier run (`pinsight run --force`). */
#ifndef PINSIGHT_CLI_RUN_REPLACE_H
#define PINSIGHT_CLI_RUN_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Empties a folder that an earlier run wrote into. Removes nothing, and returns false with a
 * message in `why`, where the folder is not one of a run, where it has anything else in it, or
 * where processes of that run still record. One thread.
 */
bool pinsight_run_replace(const char *folder, char *why, size_t room);

#endif
