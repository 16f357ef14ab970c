/* The name of the program that a process runs. For Python, this is a script or module. */
#ifndef PINSIGHT_VIEWS_PROGRAM_NAME_H
#define PINSIGHT_VIEWS_PROGRAM_NAME_H

#include <stddef.h>

/* Writes the name to `buffer`, and returns the buffer. The name is "heat.py" for the program
 * /usr/bin/python3.11 with the command "python3 -O examples/heat.py --n 4". The name is
 * "http.server" for "python3 -m http.server". A program that is no Python, or runs no file, has its
 * own name without folders. The words of the command are quoted as in base/shell.h. The name is
 * empty if the program is. */
char *pinsight_program_name(const char *program, const char *command, char *buffer, size_t size);

#endif
