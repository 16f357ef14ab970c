/* Commands that name the file of a Python program: `pinsight run app.py`. */
#ifndef PINSIGHT_CLI_RUN_SCRIPT_H
#define PINSIGHT_CLI_RUN_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a word names a Python program: by its suffix, or by the first line of that file.
 */
bool pinsight_run_script_is(const char *word);

/*
 * Puts the interpreter before the file of a Python program that cannot be executed by its name
 * alone. Sets *command to the new words, which stay until the process ends. Writes the choice of
 * the interpreter to `note`, or "". A command on PATH stays as it is. Returns -1, or an exit status
 * after a message if there is no interpreter.
 */
int pinsight_run_script_take(char ***command, char *note, size_t room);

#endif
