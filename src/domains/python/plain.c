/* What PINSIGHT_PLAIN=1 does by CPython's API alone; see plain.h. */
#include "domains/python/plain.h"

#include "domains/python/callable_name.h"
#if PY_VERSION_HEX >= 0x030d0000
#include <opcode_ids.h>
#else
#include <opcode.h>
#endif

/* ---- frames ---- */

PyCodeObject *pinsight_plain_code(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x03090000
    PyCodeObject *code = PyFrame_GetCode(frame);
#else
    PyCodeObject *code = (PyCodeObject *)PyObject_GetAttrString((PyObject *)frame, "f_code");
#endif
    Py_XDECREF(code); /* the frame keeps it */
    return code;
}

long pinsight_plain_offset(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return PyFrame_GetLasti(frame);
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *number = PyObject_GetAttrString((PyObject *)frame, "f_lasti");
    long offset = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    PyErr_Restore(type, value, traceback);
    return offset;
#endif
}

/* The instruction at an offset, and its argument; -1 where there is none. */
static int instruction_at(const PyCodeObject *code, long offset, int *argument) {
    PyObject *type, *value, *traceback;
    int instruction = -1;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *bytes = PyObject_GetAttrString((PyObject *)(uintptr_t)code, "co_code");
    if (bytes && PyBytes_Check(bytes) && offset >= 0 && offset + 1 < PyBytes_GET_SIZE(bytes)) {
        const unsigned char *at = (const unsigned char *)PyBytes_AS_STRING(bytes) + offset;
        instruction = at[0];
        *argument = at[1];
    }
    Py_XDECREF(bytes);
    PyErr_Restore(type, value, traceback);
    return instruction;
}

#if PINSIGHT_HAS_MONITORING

bool pinsight_plain_call_ends_unseen(void) {
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    int argument;
    return frame && instruction_at(pinsight_plain_code(frame), pinsight_plain_offset(frame),
                                   &argument) == CALL_FUNCTION_EX;
}

#else

#include "domains/python/balance.h"
#include "domains/python/modules.h"

static bool is_generator(const PyCodeObject *code) {
    return code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR);
}

int pinsight_plain_begin_how(PyFrameObject *frame, const PyCodeObject *code) {
    if (!is_generator(code))
        return PINSIGHT_PYTHON_BEGIN_HOW_START;
    long offset = pinsight_plain_offset(frame);
#if PY_VERSION_HEX >= 0x030b0000
    int argument = 0, instruction = instruction_at(code, offset, &argument);
    if (instruction != RESUME)
        return PINSIGHT_PYTHON_BEGIN_HOW_THROW;
    return argument == 0 ? PINSIGHT_PYTHON_BEGIN_HOW_START : PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
#else
    return offset < 0 ? PINSIGHT_PYTHON_BEGIN_HOW_START : PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
#endif
}

int pinsight_plain_end_how(PyFrameObject *frame, const PyCodeObject *code, PyObject *result) {
    if (!result)
        return PINSIGHT_PYTHON_END_HOW_UNWIND;
    if (!is_generator(code))
        return PINSIGHT_PYTHON_END_HOW_RETURN;
    int argument = 0, instruction = instruction_at(code, pinsight_plain_offset(frame), &argument);
    /* Before 3.11 a frame that waits in YIELD_FROM is at the instruction before it. */
    return instruction == RETURN_VALUE ? PINSIGHT_PYTHON_END_HOW_RETURN
                                       : PINSIGHT_PYTHON_END_HOW_YIELD;
}

PyObject *pinsight_plain_argument(const char *name) {
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    PyObject *locals = frame ? PyObject_GetAttrString((PyObject *)frame, "f_locals") : NULL;
    PyObject *value = locals && PyDict_Check(locals) ? PyDict_GetItemString(locals, name) : NULL;
    Py_XINCREF(value);
    Py_XDECREF(locals);
    return value;
}

/* ---- the profile function of each thread ---- */

static Py_tracefunc wanted;
static __thread bool put; /* in this thread */
static unsigned long first_thread;

static void put_here(void) {
    PyObject *type, *value, *traceback;
    if (put)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyEval_SetProfile(wanted, NULL);
    PyErr_Restore(type, value, traceback);
    put = true;
}

static int put_in_main(void *unused) {
    (void)unused;
    put_here();
    return 0;
}

void pinsight_plain_take_out(void) {
    PyObject *type, *value, *traceback;
    if (!put)
        return;
    put = false;
    PyErr_Fetch(&type, &value, &traceback);
    PyEval_SetProfile(NULL, NULL);
    PyErr_Restore(type, value, traceback);
}

static bool checking, heard;

bool pinsight_plain_is_check(void) {
    heard = heard || checking;
    return checking;
}

void pinsight_plain_check(void) {
    PyObject *type, *value, *traceback;
    if (!put)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *space = PyDict_New();
    heard = false;
    checking = true;
    PyObject *result = space ? PyRun_String("None", Py_eval_input, space, space) : NULL;
    checking = false;
    if (result && !heard)
        pinsight_plain_lost(PINSIGHT_PLAIN_PROFILER);
    Py_XDECREF(result);
    Py_XDECREF(space);
    PyErr_Restore(type, value, traceback);
}

/* What called the thread's first function began before anybody looked. */
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

/* What `threading` calls for the first event of a thread, a call as a rule: from then on the thread
 * has our function, and this event is its first. */
static PyObject *thread_begins(PyObject *self, PyObject *arguments) {
    PyObject *frame, *what, *argument;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO", &frame, &what, &argument))
        return NULL;
    put_here();
    drop_outer_calls(frame);
    if (PyUnicode_Check(what) && PyUnicode_CompareWithASCIIString(what, "call") == 0)
        wanted(NULL, (PyFrameObject *)frame, PyTrace_CALL, Py_None);
    Py_RETURN_NONE;
}

static PyMethodDef thread_begins_method = {"pinsight_thread_begins", thread_begins, METH_VARARGS,
                                           NULL};

void pinsight_plain_look_for_threading(void) {
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
        done = true; /* one of the program's own stays */
        PyObject *function = hook == Py_None ? PyCFunction_New(&thread_begins_method, NULL) : NULL;
        PyObject *result = function ? PyObject_CallFunctionObjArgs(set, function, NULL) : NULL;
        Py_XDECREF(result);
        Py_XDECREF(function);
    }
    PyErr_Restore(type, value, traceback);
}

void pinsight_plain_profile(Py_tracefunc function) {
    wanted = function;
    if (!first_thread)
        first_thread = PyThread_get_thread_ident();
    if (first_thread == PyThread_get_thread_ident())
        put_here();
    else
        Py_AddPendingCall(put_in_main, NULL);
    pinsight_plain_look_for_threading();
}

#endif

/* ---- what is called ---- */

PyObject *pinsight_plain_method_wrapper_of(PyObject *wrapper) {
    PyObject *type, *value, *traceback, *found = NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *class = PyObject_GetAttrString(wrapper, "__objclass__");
    PyObject *name = PyObject_GetAttrString(wrapper, "__name__");
    PyObject *dict =
        class && PyType_Check(class) ? pinsight_type_dict((PyTypeObject *)class) : NULL;
    if (dict && name)
        found = PyDict_GetItemWithError(dict, name); /* the type keeps it */
    Py_XDECREF(name);
    Py_XDECREF(class);
    PyErr_Restore(type, value, traceback);
    return found ? found : wrapper;
}

PyObject *pinsight_plain_instance_dict(PyObject *object) {
    if (!Py_TYPE(object)->tp_dictoffset)
        return NULL;
    PyObject *dict = PyObject_GenericGetDict(object, NULL);
    if (!dict)
        PyErr_Clear();
    Py_XDECREF(dict); /* the object keeps it */
    return dict;
}

/* ---- the GIL ---- */

bool pinsight_plain_holds_gil(void) {
    const PyThreadState *first = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030d0000
    return first && PyThreadState_GetUnchecked() == first;
#else
    return first && _PyThreadState_UncheckedGet() == first;
#endif
}
