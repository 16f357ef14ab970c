/*
 * Keeps ends of C calls from a profile function of the program (sys.setprofile), if the calls began
 * before the function was set.
 *
 * The interpreter reports the end of a C call if the call was watched at its begin. Without
 * PInsight, it was not watched. The end of sys.setprofile itself, and of the C calls around it,
 * would then not be reported. With PInsight, calls are watched, and the program's function would
 * get these ends.
 */
#ifndef PINSIGHT_CPYTHON_PROGRAM_PROFILER_H
#define PINSIGHT_CPYTHON_PROGRAM_PROFILER_H

#include "tracer/python/versions.h"

/* Returns whether the thread has a profile function of the program that is balanced. Holds the GIL.
 */
bool pinsight_program_profiler_is_balanced(const PyThreadState *state);

/*
 * Called when the program has set its profile function in a thread. Sets a function in front of it
 * that leaves those ends out. `anew` means that the thread had no profile function of the program
 * before, so that every open C call began earlier. Does nothing if there is no profile function.
 * Holds the GIL.
 */
void pinsight_program_profiler_balance(PyThreadState *state, bool anew);

#endif
