/*
 * A profile function of the program's (sys.setprofile) sees no end of a C call that began before it
 * was there.
 *
 * The interpreter reports the end of a C call where it was watched when the call began. Without us
 * nobody watches then, so the end of sys.setprofile itself, and of the C calls around it, are not
 * reported. With us somebody does, and the program's function would be told.
 */
#ifndef PINSIGHT_CPYTHON_PROGRAM_PROFILER_H
#define PINSIGHT_CPYTHON_PROGRAM_PROFILER_H

#include "domains/python/versions.h"

/* Has the thread one of the program's that pinsight_program_profiler_balance() stands before? GIL
 * held. */
bool pinsight_program_profiler_is_balanced(const PyThreadState *state);

/*
 * To be called when the program has put its profile function into a thread: puts one of ours before
 * it, which leaves those ends out. `anew` says that the thread had none of the program's before, so
 * that every C call which is under way is such a one. Does nothing where there is no profile
 * function. GIL held.
 */
void pinsight_program_profiler_balance(PyThreadState *state, bool anew);

#endif
