/* Recording that begins, and ends, while the program runs: `pinsight attach` and `detach`. */
#ifndef PINSIGHT_PYTHON_ATTACH_H
#define PINSIGHT_PYTHON_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Begins to record this process into a folder, by a configuration file ("" for what the environment
 * says). `own` of the innermost frames are PInsight's. Holds the GIL. False with the reason in
 * `error`, and nothing changed. Never leaves an exception set.
 */
bool pinsight_python_attach(const char *output, const char *config, size_t own, char *error,
                            size_t room);

/* Ends it: the process is as it was before. Does nothing where it was not begun so. Holds the GIL,
 * and lets go of it meanwhile. */
void pinsight_python_detach(void);

#endif
