/* Commands that are a Python program's file: `pinsight run app.py`. */
#ifndef PINSIGHT_CLI_RUN_SCRIPT_H
#define PINSIGHT_CLI_RUN_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Is a word meant as the file of a Python program? It has such a name, or is a file here whose
 * first line names a Python.
 */
bool pinsight_run_script_is(const char *word);

/*
 * Where the first of the command's words is the file of a Python program that cannot be executed by
 * that name, sets *command to words with the interpreter before it, which are kept until the end;
 * and writes which interpreter that is into `note`, else "". A command that is on PATH comes first.
 * Returns -1, or an exit status after a message: there is no interpreter.
 */
int pinsight_run_script_take(char ***command, char *note, size_t room);

#endif
