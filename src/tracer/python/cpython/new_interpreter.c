/*
 * Interpreters that the program makes; see new_interpreter.h.
 *
 * Until an interpreter has its streams (Python/pylifecycle.c, init_sys_streams), CPython writes to
 * the descriptor of stderr by an object of its own, and then frees it. All interpreters share the
 * type of these objects, which has no other use. Therefore the function that frees them is called
 * once in each new interpreter.
 */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING
#undef _PyGC_FINALIZED
#include <internal/pycore_interp.h>
#endif

#include "tracer/python/cpython/new_interpreter.h"

static void (*listener)(void);
static destructor own_dealloc;

static void printer_dealloc(PyObject *printer) {
    if (!pinsight_in_main_interpreter()) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        listener();
        PyErr_Restore(type, value, traceback);
    }
    own_dealloc(printer);
}

void pinsight_interpreters_notice(void (*made)(void)) {
    listener = made;
    own_dealloc = PyStdPrinter_Type.tp_dealloc;
    __atomic_store_n(&PyStdPrinter_Type.tp_dealloc, printer_dealloc, __ATOMIC_RELEASE);
}

#if PINSIGHT_HAS_MONITORING

bool pinsight_interpreter_has_own_gil(const PyInterpreterState *state) {
    return state->ceval.own_gil != 0;
}

/* Exported for CPython's own test modules; see gil_request.c. */
extern int _PyEval_AddPendingCall(PyInterpreterState *interpreter, int (*call)(void *),
                                  void *argument, int flags) __attribute__((weak));

void pinsight_interpreter_call(PyInterpreterState *state, int (*call)(void *)) {
    if (_PyEval_AddPendingCall)
        _PyEval_AddPendingCall(state, call, NULL, 0);
}

#endif
