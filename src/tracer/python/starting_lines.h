/* Python code that only imports a package and calls it: the script of a command, or the code after
 * -c. Calls nothing of the interpreter. */
#ifndef PINSIGHT_PYTHON_STARTING_LINES_H
#define PINSIGHT_PYTHON_STARTING_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the first module of an import, such as "mytool.cli", that is none of those which such
 * code uses beside its program, such as sys. Sets *length. Returns NULL if there is none, if no
 * call follows, or if the code has other statements. */
const char *pinsight_starting_lines_module(const char *code, size_t *length);

#endif
