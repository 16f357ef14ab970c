/* The Python interpreters that a user may mean. */
#ifndef PINSIGHT_DOCTOR_PYTHONS_H
#define PINSIGHT_DOCTOR_PYTHONS_H

#include <stddef.h>

#include "doctor/ask_python.h"
#include "runtimes/command.h"

enum { PINSIGHT_PYTHONS_MAX = 24, PINSIGHT_PYTHONS_BROKEN = 8 };

struct pinsight_pythons {
    struct pinsight_command *items; /* allocated */
    size_t count;
    /* Programs with the name of a Python that start none. */
    struct pinsight_pythons_broken {
        char program[PATH_MAX], real[PATH_MAX]; /* `real` is the file behind the links */
        char why[PINSIGHT_ASK_WHY];
    } * broken; /* allocated */
    size_t broken_count;
};

/*
 * Finds interpreters. With a command (its words end with NULL): the Python that it runs, if any.
 * Without one (NULL): every python3 and python3.X on PATH, and pyenv's, one for each environment.
 * Asks programs of these names that are no interpreter by their file which one they start. Freed
 * with pinsight_pythons_free().
 */
void pinsight_pythons_find(struct pinsight_pythons *pythons, char *const *command);
void pinsight_pythons_free(struct pinsight_pythons *pythons);

#endif
