/* The profile function of each thread in the plain form, by CPython's API alone; see
 * profile_hook.h. */
#include "tracer/python/cpython/profile_hook.h"

#if !PINSIGHT_HAS_MONITORING && PINSIGHT_IS_PLAIN

#include "tracer/core/plain.h"
#include "tracer/python/balance.h"
#include "tracer/python/modules.h"

static Py_tracefunc wanted; /* NULL while none is set */
static bool ended;          /* none will be set any more */
static __thread bool in_here;
static unsigned long first_thread;

static bool checking, heard;

static void set_here(Py_tracefunc function) {
    PyObject *type, *value, *traceback;
    in_here = function != NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyEval_SetProfile(function, NULL);
    PyErr_Restore(type, value, traceback);
}

/* The function in each thread. */
static int call_wanted(PyObject *self, PyFrameObject *frame, int what, PyObject *argument) {
    heard = heard || checking;
    if (checking)
        return 0;
    if (wanted)
        return wanted(self, frame, what, argument);
    if (ended)
        set_here(NULL);
    return 0;
}

/* ---- setting it in threads ---- */

static void put_here(void) {
    if (!in_here)
        set_here(call_wanted);
}

static int put_in_main(void *unused) {
    (void)unused;
    put_here();
    return 0;
}

bool pinsight_profile_hook_put(Py_tracefunc function) {
    wanted = function;
    ended = false;
    if (!first_thread)
        first_thread = PyThread_get_thread_ident();
    if (first_thread == PyThread_get_thread_ident())
        put_here();
    else
        Py_AddPendingCall(put_in_main, NULL);
    pinsight_profile_hook_look();
    return false;
}

void pinsight_profile_hook_take(Py_tracefunc function) {
    if (function && wanted == function)
        wanted = NULL;
}

bool pinsight_profile_hook_take_own(Py_tracefunc function) {
    (void)function;
    return false; /* the function stays in a thread for good */
}

Py_tracefunc pinsight_profile_hook_own(void) {
    return in_here ? wanted : NULL;
}

/* ---- threads that `threading` starts ---- */

/* The callers of the thread's first function began before the observation. */
static void drop_outer_calls(PyObject *frame) {
    struct pinsight_python_thread *thread = pinsight_python_thread();
    PyObject *back = PyObject_GetAttrString(frame, "f_back");
    while (back && back != Py_None) {
        PyObject *next = PyObject_GetAttrString(back, "f_back");
        if (thread)
            thread->inherited++;
        Py_DECREF(back);
        back = next;
    }
    Py_XDECREF(back);
    PyErr_Clear();
}

/* `threading` calls this function for the first event of a thread, normally a call. From then on,
 * the thread has our function, and this event is its first. */
static PyObject *thread_begins(PyObject *self, PyObject *arguments) {
    PyObject *frame, *what, *argument;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO", &frame, &what, &argument))
        return NULL;
    put_here();
    drop_outer_calls(frame);
    if (wanted && PyUnicode_Check(what) && PyUnicode_CompareWithASCIIString(what, "call") == 0)
        wanted(NULL, (PyFrameObject *)frame, PyTrace_CALL, Py_None);
    Py_RETURN_NONE;
}

static PyMethodDef thread_begins_method = {"pinsight_thread_begins", thread_begins, METH_VARARGS,
                                           NULL};

void pinsight_profile_hook_look(void) {
    static bool done;
    PyObject *type, *value, *traceback;
    if (done)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *module = pinsight_module_there("threading"); /* borrowed */
    PyObject *space = module ? PyModule_GetDict(module) : NULL;
    PyObject *hook = space ? PyDict_GetItemString(space, "_profile_hook") : NULL;
    PyObject *set = hook ? PyDict_GetItemString(space, "setprofile") : NULL;
    if (set) {
        done = true; /* a profiler of the program stays */
        PyObject *function = hook == Py_None ? PyCFunction_New(&thread_begins_method, NULL) : NULL;
        PyObject *result = function ? PyObject_CallFunctionObjArgs(set, function, NULL) : NULL;
        Py_XDECREF(result);
        Py_XDECREF(function);
    }
    PyErr_Restore(type, value, traceback);
}

/* ---- the end ---- */

/* Returns whether another function has replaced ours in this thread. Executes an expression that
 * makes no event. PyRun_String() cannot be used, because it forgets that a KeyboardInterrupt ended
 * the program (pythonrun.c, unhandled_keyboard_interrupt); the program would then not die by
 * SIGINT. */
static bool is_replaced(void) {
    PyObject *space = PyDict_New();
    PyObject *code = space ? Py_CompileString("None", "<pinsight>", Py_eval_input) : NULL;
    heard = false;
    checking = true;
    PyObject *result = code ? PyEval_EvalCode(code, space, space) : NULL;
    checking = false;
    bool replaced = result && !heard;
    Py_XDECREF(result);
    Py_XDECREF(code);
    Py_XDECREF(space);
    return replaced;
}

void pinsight_profile_hook_end(Py_tracefunc function) {
    PyObject *type, *value, *traceback;
    ended = true;
    if (!function || !in_here)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    if (is_replaced())
        pinsight_plain_lost(PINSIGHT_PLAIN_PROFILER);
    PyErr_Restore(type, value, traceback);
}

#endif
