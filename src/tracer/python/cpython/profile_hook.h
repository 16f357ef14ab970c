/*
 * The profile function of each thread, CPython 3.8 to 3.11, in the interpreter's own data. All
 * functions hold the GIL.
 */
#ifndef PINSIGHT_CPYTHON_PROFILE_HOOK_H
#define PINSIGHT_CPYTHON_PROFILE_HOOK_H

#include "tracer/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

/*
 * In the plain form, a thread gets the function at its start if `threading` starts it, and the main
 * thread as soon as possible. The function stays in a thread for good, and does nothing while none
 * is set.
 */

/* Sets `function` in every thread that has none. Leaves a profiler of the program alone. Returns
 * whether there is one. */
bool pinsight_profile_hook_put(Py_tracefunc function);

/* Removes `function` from every thread that has it. */
void pinsight_profile_hook_take(Py_tracefunc function);

/* Removes `function` from the calling thread. Returns false if the thread does not have it. */
bool pinsight_profile_hook_take_own(Py_tracefunc function);

#if PINSIGHT_IS_PLAIN

static inline bool pinsight_profile_hook_is_missing(void) {
    return false;
}

/* Called from time to time, because `threading` may have been imported. */
void pinsight_profile_hook_look(void);

/* Called before the last removal, after which no function is set any more. Reports if the program
 * has replaced PInsight's function in the calling thread (sys.setprofile). */
void pinsight_profile_hook_end(Py_tracefunc function);

/* Returns the profile function of the calling thread, or NULL. */
Py_tracefunc pinsight_profile_hook_own(void);

#else

/* Returns whether a thread has a profile function, PInsight's or another one. */
static inline bool pinsight_profile_hook_has_one(const PyThreadState *state) {
    return state->c_profilefunc != NULL;
}

/* Sets `function` in the state of a thread that has none and does not run yet. */
void pinsight_profile_hook_put_own(PyThreadState *state, Py_tracefunc function);

static inline void pinsight_profile_hook_look(void) {
}

static inline void pinsight_profile_hook_end(Py_tracefunc function) {
    (void)function;
}

/* The newest thread at the last pinsight_profile_hook_put(), as a number that is never reused.
 * Threads are added at the front of the list, and the state of a new one may have the address of an
 * ended one's. */
extern uint64_t pinsight_profile_hook_newest __attribute__((visibility("hidden")));

/* The place of the first thread of the interpreter's list, at the last pinsight_profile_hook_put().
 */
extern PyThreadState *const *pinsight_profile_hook_first __attribute__((visibility("hidden")));

/* Returns whether a thread has started since then, from threading, _thread or C. */
static inline bool pinsight_profile_hook_is_missing(void) {
    return (*pinsight_profile_hook_first)->id != pinsight_profile_hook_newest;
}

/* Returns the profile function of the calling thread, or NULL. */
static inline Py_tracefunc pinsight_profile_hook_own(void) {
    return PyThreadState_Get()->c_profilefunc;
}

#endif

#endif
#endif
