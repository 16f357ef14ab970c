/* What a process is called: by what it runs, which for Python is a script or module. */
#ifndef PINSIGHT_VIEWS_PROGRAM_NAME_H
#define PINSIGHT_VIEWS_PROGRAM_NAME_H

#include <stddef.h>

/* Writes the name to `buffer`, and returns that: "heat.py" for the program /usr/bin/python3.11 with
 * the command "python3 -O examples/heat.py --n 4", "http.server" for "python3 -m http.server", and
 * the program's own, without folders, where it is no Python or runs no file. The command's words
 * are quoted as in base/shell.h. Empty where the program is. */
char *pinsight_program_name(const char *program, const char *command, char *buffer, size_t size);

#endif
