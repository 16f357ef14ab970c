/* The profile function that observes CPython 3.8 to 3.11; see profile.c. */
#ifndef PINSIGHT_PYTHON_PROFILE_H
#define PINSIGHT_PYTHON_PROFILE_H

#include "domains/python/versions.h"

/* Put our function, where one is in force, into every thread that has none. Returns whether a
 * thread has another. Holds the GIL. */
bool pinsight_profile_come_back(void);

/* The calling thread has just taken the GIL, and is about to run: one that C started gets our
 * function before its first call. Nothing may be asked of the interpreter. */
void pinsight_profile_thread_starts(void);

/* The function that runs calls something written in C that the interpreter does not report:
 * PyTrace_C_CALL, and PyTrace_C_RETURN or PyTrace_C_EXCEPTION when it is done. Holds the GIL; keeps
 * a pending exception. */
void pinsight_profile_report(int what, PyObject *callable);

/* Is it the profile function in force? */
bool pinsight_profile_is_ours(Py_tracefunc function);

#endif
