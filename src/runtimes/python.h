/* A Python interpreter on disk: its version and where it will look for packages. */
#ifndef PINSIGHT_RUNTIMES_PYTHON_H
#define PINSIGHT_RUNTIMES_PYTHON_H

#include <stdbool.h>

#include "runtimes/command.h"
#include "runtimes/elf.h"

/* Is the program a CPython? */
bool pinsight_python_is(const struct pinsight_elf *elf, const char *path);

/*
 * Fills in what `command` has of a Python, whose program is set. `script` is the script that it
 * runs, NULL where its arguments (ended by NULL) tell.
 */
void pinsight_python_look(struct pinsight_command *command, const char *script,
                          char *const *arguments);

#endif
