/* Recording that begins and ends while the program runs: `pinsight attach` and `detach`. */
#ifndef PINSIGHT_PYTHON_ATTACH_H
#define PINSIGHT_PYTHON_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Begins to record this process into a folder, with a limit of the flight recorder ("" for none)
 * and a configuration file ("" for the environment's configuration). The innermost `own` frames are
 * PInsight's. On failure, returns false, writes the reason to `error`, and changes nothing. Leaves
 * no exception set. Holds the GIL.
 */
bool pinsight_python_attach(const char *output, const char *ring, const char *config, size_t own,
                            char *error, size_t room);

/* Ends the recording, and restores the process. Does nothing if the recording was not begun by
 * pinsight_python_attach(). Holds the GIL, and releases it meanwhile. */
void pinsight_python_detach(void);

#endif
