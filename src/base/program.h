/* Finding programs the way that execvp(3) does. */
#ifndef PINSIGHT_BASE_PROGRAM_H
#define PINSIGHT_BASE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Where is `name`? A name with a slash is a path; else the folders of $PATH are searched. Returns 0
 * and writes the path, or ENOENT (nothing of that name), EACCES (something is there and cannot be
 * executed), EISDIR (it is a folder), ENAMETOOLONG.
 */
int pinsight_program_find(const char *name, char path[PATH_MAX]);

/* The path of this process's executable, "" and false where it is not known. Allocates nothing. */
bool pinsight_program_self(char *path, size_t room);

/* The words that this process was started with, with blanks between; cut off at `room`. Allocates
 * nothing. */
void pinsight_program_words(char *text, size_t room);

#endif
