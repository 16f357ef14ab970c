/*
 * The profile function of each thread, CPython 3.8 to 3.11, where the interpreter keeps it. All
 * functions hold the GIL.
 */
#ifndef PINSIGHT_CPYTHON_PROFILE_HOOK_H
#define PINSIGHT_CPYTHON_PROFILE_HOOK_H

#include "domains/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

/*
 * In the plain form a thread gets the function as it starts, if `threading` starts it, and the main
 * thread as soon as that may be. One that has come into a thread stays there, and does nothing
 * while none is put.
 */

/* Put `function` into every thread that has none; a profiler of the program's own is left alone.
 * Returns whether there is one. */
bool pinsight_profile_hook_put(Py_tracefunc function);

/* Take `function` out of every thread that has it. */
void pinsight_profile_hook_take(Py_tracefunc function);

/* Take `function` out of the calling thread; false where it is not there. */
bool pinsight_profile_hook_take_own(Py_tracefunc function);

#if PINSIGHT_IS_PLAIN

static inline bool pinsight_profile_hook_is_missing(void) {
    return false;
}

/* To be called now and then: `threading` may have been imported. */
void pinsight_profile_hook_look(void);

/* No function is put any more; before the last is taken. If the program has put another in the
 * place of ours (sys.setprofile) in the calling thread, that is said. */
void pinsight_profile_hook_end(Py_tracefunc function);

/* What the calling thread has; NULL without one. */
Py_tracefunc pinsight_profile_hook_own(void);

#else

/* Has the thread a profile function, ours or another? */
static inline bool pinsight_profile_hook_has_one(const PyThreadState *state) {
    return state->c_profilefunc != NULL;
}

/* Put `function` into the state of a thread that has none and does not run yet. */
void pinsight_profile_hook_put_own(PyThreadState *state, Py_tracefunc function);

static inline void pinsight_profile_hook_look(void) {
}

static inline void pinsight_profile_hook_end(Py_tracefunc function) {
    (void)function;
}

/* The newest thread at the last pinsight_profile_hook_put, by the number that is never used again:
 * threads are added at the front of the list, and the state of one may lie where that of one that
 * ended lay. */
extern uint64_t pinsight_profile_hook_newest __attribute__((visibility("hidden")));

/* Where the interpreter has the first thread of its list; of that of the last
 * pinsight_profile_hook_put. */
extern PyThreadState *const *pinsight_profile_hook_first __attribute__((visibility("hidden")));

/* Did a thread start since then, from threading, _thread or C? */
static inline bool pinsight_profile_hook_is_missing(void) {
    return (*pinsight_profile_hook_first)->id != pinsight_profile_hook_newest;
}

/* What the calling thread has; NULL without one. */
static inline Py_tracefunc pinsight_profile_hook_own(void) {
    return PyThreadState_Get()->c_profilefunc;
}

#endif

#endif
#endif
