/* Profilers and debuggers beside PInsight's; see profiler_adjacent.h. */
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING

#include "tracer/python/cpython/callbacks.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/program_profiler.h"
#include "tracer/python/profiler_adjacent.h"

static PyCFunction own_setprofile, own_setprofile_all, own_settrace;

/* From 3.12 on, a thread's state is complete when it is added to the list, and leaves the list
 * under the GIL. */
static void balance_all(void) {
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    for (PyThreadState *state = PyInterpreterState_ThreadHead(interpreter); state;
         state = PyThreadState_Next(state))
        pinsight_program_profiler_balance(state, true);
}

/* Returns whether this interpreter is observed. The method tables are common to all interpreters of
 * the process. */
static bool is_observed(void) {
    return pinsight_in_main_interpreter() && pinsight_monitoring_tool() >= 0;
}

static PyObject *on_setprofile(PyObject *self, PyObject *function) {
    PyThreadState *state = PyThreadState_Get();
    bool goes_on = pinsight_program_profiler_is_balanced(state);
    bool first = is_observed() && !pinsight_calls_are_watched(pinsight_monitoring_tool());
    PyObject *result = own_setprofile(self, function);
    if (result && (first || goes_on))
        pinsight_program_profiler_balance(state, first);
    return result;
}

static PyObject *on_setprofile_all(PyObject *self, PyObject *function) {
    bool first = is_observed() && !pinsight_calls_are_watched(pinsight_monitoring_tool());
    PyObject *result = own_setprofile_all(self, function);
    if (result && first)
        balance_all();
    return result;
}

#if PY_VERSION_HEX >= 0x030d0000
/*
 * Works around a fault of CPython 3.13. A debugger may request the instructions of a frame before
 * it sets its trace function, as pdb.set_trace() does. If a second tool listens to the common
 * events, the interpreter forgets who requested the instructions. The reason is a table of tools
 * that is made when there are several tools, and is empty (Python/instrumentation.c,
 * update_instrumentation_data). A second request restores it.
 */
static void ask_for_instructions_again(void) {
    PyObject *error = PyErr_GetRaisedException();
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    Py_XINCREF(frame);
    while (frame) {
        PyObject *wanted = PyObject_GetAttrString((PyObject *)frame, "f_trace_opcodes");
        if (wanted == Py_True) {
            PyObject_SetAttrString((PyObject *)frame, "f_trace_opcodes", Py_False);
            PyObject_SetAttrString((PyObject *)frame, "f_trace_opcodes", Py_True);
        }
        Py_XDECREF(wanted);
        PyErr_Clear();
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    PyErr_SetRaisedException(error);
}

static PyObject *on_settrace(PyObject *self, PyObject *function) {
    PyObject *result = own_settrace(self, function);
    if (result && function != Py_None && is_observed())
        ask_for_instructions_again();
    return result;
}
#endif

static void redirect(const char *name, PyCFunction to, PyCFunction *own) {
    PyObject *function = *own ? NULL : PySys_GetObject(name); /* borrowed */
    pinsight_function_redirect(function, METH_O, to, own);
}

void pinsight_profiler_adjacent_start(void) {
    redirect("setprofile", on_setprofile, &own_setprofile);
    redirect("_setprofileallthreads", on_setprofile_all, &own_setprofile_all);
#if PY_VERSION_HEX >= 0x030d0000
    redirect("settrace", on_settrace, &own_settrace);
#else
    (void)own_settrace;
#endif
}

#endif
