/* Asks a program that has the name of a Python, and is none by its file, which Python it starts. */
#ifndef PINSIGHT_DOCTOR_ASK_PYTHON_H
#define PINSIGHT_DOCTOR_ASK_PYTHON_H

#include <limits.h>
#include <stdbool.h>

/* Space for a reason. */
enum { PINSIGHT_ASK_WHY = 160 };

/*
 * Runs the program, for three seconds at most. Writes the path of the interpreter, sys.executable,
 * to `interpreter`. Otherwise returns false, and writes the reason to `why`: a text that continues
 * "it is no Python that works: ".
 */
bool pinsight_ask_python(const char *program, char interpreter[PATH_MAX],
                         char why[PINSIGHT_ASK_WHY]);

#endif
