/* The profile function of each thread; see profile_hook.h. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_pystate.h>
#endif

#include "tracer/python/cpython/profile_hook.h"

uint64_t pinsight_profile_hook_newest;

/* It is not read before the first pinsight_profile_hook_put(). */
PyThreadState *const *pinsight_profile_hook_first;

/*
 * Like _PyEval_SetProfile(), for any thread. That function cannot be used, because it calls the
 * program's audit hooks. While one of them runs, a call by another thread fails and leaves its
 * exception in the target thread's state. Our function never has an object, so nothing is released
 * here.
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

/* Locks the list of threads, like the interpreter. A thread that C starts adds its state to the
 * list without the GIL, before the state is complete (PyThreadState_New). Code under the lock must
 * neither run Python nor take the lock again. */
static PyThreadState *lock_list(void) {
    PyThread_acquire_lock(_PyRuntime.interpreters.mutex, WAIT_LOCK);
    return PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);
}

static void unlock_list(void) {
    PyThread_release_lock(_PyRuntime.interpreters.mutex);
}

/* Returns the place of the list's head according to the headers, if `head` is there. Another patch
 * release may have another place. The result is then a place without information, and each event
 * reads the list. */
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
