/* Finding programs the way that execvp(3) does. */
#ifndef PINSIGHT_BASE_PROGRAM_H
#define PINSIGHT_BASE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the program `name`. A name with a slash is a path; other names are searched for in $PATH.
 * Writes the path and returns 0, or returns ENOENT (no such file), EACCES (the file cannot be
 * executed), EISDIR (it is a folder) or ENAMETOOLONG.
 */
int pinsight_program_find(const char *name, char path[PATH_MAX]);

/* Writes the path of this process's executable. Writes "" and returns false if it is unknown. Does
 * not allocate. */
bool pinsight_program_self(char *path, size_t room);

/* Writes this process's argument vector as a shell takes it (base/shell.h), as far as there is
 * `room`. Does not allocate. */
void pinsight_program_words(char *text, size_t room);

#endif
