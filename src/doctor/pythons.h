/* The Python interpreters that a user may mean. */
#ifndef PINSIGHT_DOCTOR_PYTHONS_H
#define PINSIGHT_DOCTOR_PYTHONS_H

#include <stddef.h>

#include "runtimes/command.h"

enum { PINSIGHT_PYTHONS_MAX = 24 };

struct pinsight_pythons {
    struct pinsight_command *items; /* allocated */
    size_t count;
};

/*
 * Finds interpreters. With a command (its words end with NULL): the Python that it runs, if any.
 * Without one (NULL): every python3 and python3.X on PATH, and pyenv's, one for each environment.
 * Freed with pinsight_pythons_free().
 */
void pinsight_pythons_find(struct pinsight_pythons *pythons, char *const *command);
void pinsight_pythons_free(struct pinsight_pythons *pythons);

#endif
