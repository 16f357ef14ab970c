/* The profile function of each thread; see profile_hook.h. */
#define Py_BUILD_CORE 1
#include "domains/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_pystate.h>
#endif

#include "domains/python/cpython/profile_hook.h"

uint64_t pinsight_profile_hook_newest;

/* Before the first pinsight_profile_hook_put nobody asks. */
PyThreadState *const *pinsight_profile_hook_first;

/*
 * As _PyEval_SetProfile does, for any thread. That function itself does not serve: it announces
 * each call to the program's audit hooks, and while one of them runs, a call by another thread
 * fails and leaves its exception in the state of the thread that it was for. Ours never has an
 * object beside the function, so nothing is released here.
 */
static void install(PyThreadState *state, Py_tracefunc function) {
    state->c_profilefunc = function;
    bool any = function || state->c_tracefunc;
#if PY_VERSION_HEX >= 0x030b0000
    state->cframe->use_tracing = any && state->tracing == 0 ? 255 : 0;
#elif PY_VERSION_HEX >= 0x030a0000
    state->cframe->use_tracing = any;
#else
    state->use_tracing = any;
#endif
}

/* A thread that comes from C puts its state at the head of the list before the state is complete,
 * and without the GIL (PyThreadState_New): who walks over the list holds its lock, as the
 * interpreter does. Nothing in between may run Python or take the lock again. */
static PyThreadState *lock_list(void) {
    PyThread_acquire_lock(_PyRuntime.interpreters.mutex, WAIT_LOCK);
    return PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);
}

static void unlock_list(void) {
    PyThread_release_lock(_PyRuntime.interpreters.mutex);
}

/* The place that an interpreter's headers say its list begins at, if `head` is there. Those of
 * another patch release may say another place: then one of which nothing is known, and each event
 * looks at the list. */
static PyThreadState *const *first_of(PyInterpreterState *interpreter, PyThreadState *head) {
    static PyThreadState nobody = {.id = UINT64_MAX}, *const nowhere = &nobody;
#if PY_VERSION_HEX >= 0x030b0000
    PyThreadState *const *first = &interpreter->threads.head;
#else
    PyThreadState *const *first = &interpreter->tstate_head;
#endif
    return *first == head ? first : &nowhere;
}

bool pinsight_profile_hook_put(Py_tracefunc function) {
    bool taken = false;
    PyThreadState *head = lock_list();
    for (PyThreadState *state = head; state; state = PyThreadState_Next(state)) {
        if (function && !state->c_profilefunc)
            install(state, function);
        taken = taken || state->c_profilefunc != function;
    }
    pinsight_profile_hook_newest = head->id;
    pinsight_profile_hook_first = first_of(PyThreadState_Get()->interp, head);
    unlock_list();
    return taken;
}

void pinsight_profile_hook_take(Py_tracefunc function) {
    for (PyThreadState *state = lock_list(); state; state = PyThreadState_Next(state)) {
        if (function && state->c_profilefunc == function)
            install(state, NULL);
    }
    unlock_list();
}

void pinsight_profile_hook_put_own(PyThreadState *state, Py_tracefunc function) {
    install(state, function);
}

bool pinsight_profile_hook_take_own(Py_tracefunc function) {
    PyThreadState *state = PyThreadState_Get();
    if (state->c_profilefunc != function)
        return false;
    install(state, NULL);
    return true;
}

#endif
