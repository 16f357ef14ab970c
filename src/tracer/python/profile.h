/* The profile function that observes CPython 3.8 to 3.11; see profile.c. */
#ifndef PINSIGHT_PYTHON_PROFILE_H
#define PINSIGHT_PYTHON_PROFILE_H

#include "tracer/python/versions.h"

/* Sets our profile function, if it is in force, in every thread that has none. Returns whether a
 * thread has another one. Holds the GIL. */
bool pinsight_profile_come_back(void);

/* Called when the calling thread has just taken the GIL and is about to run. A thread that C
 * started gets our function before its first call. No function of the interpreter may be called. */
void pinsight_profile_thread_starts(void);

/* Reports a C call that the interpreter does not report: PyTrace_C_CALL, and at its end
 * PyTrace_C_RETURN or PyTrace_C_EXCEPTION. The running function is the caller. Holds the GIL. Keeps
 * a pending exception. */
void pinsight_profile_report(int what, PyObject *callable);

/* Returns whether a function is the profile function in force. */
bool pinsight_profile_is_ours(Py_tracefunc function);

#endif
