/* Finding programs the way that execvp(3) does. */
#ifndef PINSIGHT_SESSION_PROGRAM_H
#define PINSIGHT_SESSION_PROGRAM_H

#include <limits.h>

/*
 * Where is `name`? A name with a slash is a path; else the folders of $PATH are searched. Returns 0
 * and writes the path, or ENOENT (nothing of that name), EACCES (something is there and cannot be
 * executed), EISDIR (it is a folder), ENAMETOOLONG.
 */
int pinsight_program_find(const char *name, char path[PATH_MAX]);

#endif
