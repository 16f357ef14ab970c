/* The program that a Python runs, by the words of its command, and whether the user started it. The
 * functions read /proc, and call nothing of the interpreter. */
#ifndef PINSIGHT_PYTHON_STARTED_PROGRAM_H
#define PINSIGHT_PYTHON_STARTED_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum pinsight_started_kind {
    PINSIGHT_STARTED_CODE,    /* -c, the standard input, or not known */
    PINSIGHT_STARTED_MODULE,  /* -m */
    PINSIGHT_STARTED_COMMAND, /* a script that an installer wrote as a command for a package */
    PINSIGHT_STARTED_SCRIPT,
};

struct pinsight_started {
    enum pinsight_started_kind kind;
    char package[256];   /* top package of the module or command, or of code that only calls it */
    char file[PATH_MAX]; /* of a command or script, as the words have it; "" for others */
};

/* Finds the program of a process. */
void pinsight_started_find(pid_t pid, struct pinsight_started *started);

/* Returns whether the program runs other programs, so that a user who starts it is not interested
 * in its own code. */
bool pinsight_started_is_runner(const struct pinsight_started *started);

/* Returns whether a program of this recording started this process, such as a library that starts
 * its workers. A runner's program, and a process of the same package, was started by whoever
 * started the runner, or the other process. */
bool pinsight_started_by_program(const struct pinsight_started *own);

#endif
