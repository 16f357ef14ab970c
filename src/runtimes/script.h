/* The files that an interpreter runs: first lines of scripts, and names of Python programs. */
#ifndef PINSIGHT_RUNTIMES_SCRIPT_H
#define PINSIGHT_RUNTIMES_SCRIPT_H

#include <limits.h>
#include <stdbool.h>

/* The first line of a script after `#!`, as execve(2) reads it: an interpreter and at most one
 * argument. The line cannot name a long path, or one with blanks. Installers then write `#!/bin/sh`
 * and a second line by which the shell executes the interpreter, which is taken from there. */
struct pinsight_first_line {
    char text[PATH_MAX + 64]; /* the interpreter, as written */
    char *argument;           /* within text; "" for none */
};

/* Reads the first line. Returns false if the file cannot be read or is no script. */
bool pinsight_script_first_line(const char *path, struct pinsight_first_line *line);

/* Returns whether the line names a Python, by itself or through env. */
bool pinsight_script_is_python(const struct pinsight_first_line *line);

/* Returns whether a name has the suffix of a Python program (.py, .pyw, .pyz). */
bool pinsight_script_has_python_name(const char *name);

#endif
