/* A Python interpreter on disk: its version, and the folders of its packages. */
#ifndef PINSIGHT_RUNTIMES_PYTHON_H
#define PINSIGHT_RUNTIMES_PYTHON_H

#include <stdbool.h>

#include "runtimes/command.h"
#include "runtimes/elf.h"

/* Returns whether a program is a CPython. */
bool pinsight_python_is(const struct pinsight_elf *elf, const char *path);

/* Returns whether a CPython is a debug build (configure --with-pydebug), by symbols that others do
 * not have, or by the name of its library. */
bool pinsight_python_is_debug(const struct pinsight_elf *elf);

/*
 * Sets the Python's fields of `command`, whose program is set. `script` is the script that it runs;
 * NULL if it is among the arguments, which end with NULL.
 */
void pinsight_python_look(struct pinsight_command *command, const char *script,
                          char *const *arguments);

#endif
