/* asyncio's futures and tasks; see asyncio.h. */
#include "tracer/python/cpython/asyncio.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/type_slots.h"
#include "tracer/python/modules.h"

#include <string.h>

/* All are found once and never freed. Strong references, under the GIL. */
static PyTypeObject *task_type, *future_type; /* written in C */
static PyTypeObject *python_task_type;
static PyObject *handle_code;

enum read { STATE, EXCEPTION, COROUTINE, AWAITED, NAME, LOOP, CALLBACKS, READS };
static const char *const of_c[READS] = {"_state",   "_exception", "_coro",     "_fut_waiter",
                                        "get_name", "_loop",      "_callbacks"};
static const char *const of_python[READS] = {"_state", "_exception", "_coro",     "_fut_waiter",
                                             "_name",  "_loop",      "_callbacks"};
static PyObject *descriptors[READS], *names[READS];

/* ---- finding the types ---- */

static PyObject *in_module(const char *module, const char *name) {
    PyObject *there = pinsight_module_there(module);
    PyObject *dict = there && PyModule_Check(there) ? PyModule_GetDict(there) : NULL;
    return dict ? PyDict_GetItemString(dict, name) : NULL; /* borrowed */
}

static PyTypeObject *type_in(const char *module, const char *name) {
    PyObject *type = in_module(module, name);
    if (!type || !PyType_Check(type))
        return NULL;
    Py_INCREF(type);
    return (PyTypeObject *)type;
}

static void find_descriptors(void) {
    for (int i = 0; i < READS; i++) {
        PyObject *own = PyDict_GetItemString(pinsight_type_dict(task_type), of_c[i]);
        PyObject *descriptor =
            own ? own : PyDict_GetItemString(pinsight_type_dict(future_type), of_c[i]);
        Py_XINCREF(descriptor);
        descriptors[i] = descriptor;
    }
}

static void find_types_in_c(void) {
    PyTypeObject *future = type_in("_asyncio", "Future"), *task = type_in("_asyncio", "Task");
    if (future && task && PyType_IsSubtype(task, future)) {
        future_type = future;
        task_type = task;
        find_descriptors();
    } else {
        Py_XDECREF(future);
        Py_XDECREF(task);
    }
}

/* Without a type in C, the type in Python has its name. */
static void find_types_in_python(void) {
    PyTypeObject *task = type_in("asyncio.tasks", "_PyTask");
    PyObject *run = in_module("asyncio.events", "Handle");
    PyObject *dict = run && PyType_Check(run) ? pinsight_type_dict((PyTypeObject *)run) : NULL;
    run = dict ? PyDict_GetItemString(dict, "_run") : NULL;
    if (task && task != task_type && !python_task_type)
        python_task_type = task;
    else
        Py_XDECREF(task);
    if (!handle_code && run && PyFunction_Check(run)) {
        handle_code = PyFunction_GET_CODE(run);
        Py_INCREF(handle_code);
    }
    for (int i = 0; i < READS && !names[i]; i++)
        names[i] = PyUnicode_InternFromString(of_python[i]);
}

bool pinsight_asyncio_find_types(void) {
    static Py_ssize_t looked_at; /* number of modules at the last look */
    PyObject *type, *value, *traceback;
    if (task_type && python_task_type && handle_code)
        return true;
    if (!pinsight_modules_differ(&looked_at))
        return task_type != NULL;
    PyErr_Fetch(&type, &value, &traceback);
    if (!task_type)
        find_types_in_c();
    if (!handle_code || !python_task_type)
        find_types_in_python();
    PyErr_Restore(type, value, traceback);
    return task_type != NULL;
}

bool pinsight_asyncio_is_handle(const void *code) {
    return code == handle_code;
}

bool pinsight_asyncio_is_task(PyObject *object) {
    return (task_type && PyObject_TypeCheck(object, task_type)) ||
           (python_task_type && PyObject_TypeCheck(object, python_task_type));
}

/* ---- callbacks ---- */

static PyObject *if_task(PyObject *object) {
    return object && pinsight_asyncio_is_task(object) ? object : NULL;
}

/* The types of callbacks that asyncio makes for a task: two up to 3.9, one later. Each has the task
 * as `__self__`. No module has a name for them. */
static struct wrapper {
    const char *name;
    PyTypeObject *type; /* never freed */
    const PyGetSetDef *getter;
} wrappers[PINSIGHT_ASYNCIO_WRAPPERS] = {{.name = "TaskStepMethWrapper"},
                                         {.name = "TaskWakeupMethWrapper"}};
static PyMethodDef *wakeup; /* from 3.10 on, in place of the second type */

/* Returns whether it is that type, and notes it the first time. */
static bool is_wrapper_type(struct wrapper *wrapper, PyTypeObject *type) {
    const char *dot = strrchr(type->tp_name, '.');
    PyObject *own = strcmp(dot ? dot + 1 : type->tp_name, wrapper->name) == 0
                        ? PyDict_GetItemString(pinsight_type_dict(type), "__self__")
                        : NULL;
    if (!own || Py_TYPE(own) != &PyGetSetDescr_Type)
        return false;
    wrapper->getter = ((PyGetSetDescrObject *)own)->d_getset;
    wrapper->type = type;
    Py_INCREF(type);
    return true;
}

static PyObject *of_wrapper(PyObject *callback) {
    PyTypeObject *type = Py_TYPE(callback);
    for (int i = 0; i < PINSIGHT_ASYNCIO_WRAPPERS; i++) {
        struct wrapper *wrapper = &wrappers[i];
        if (wrapper->type ? wrapper->type != type : !is_wrapper_type(wrapper, type))
            continue;
        PyObject *task = wrapper->getter->get(callback, wrapper->getter->closure);
        Py_XDECREF(task); /* the callback keeps it */
        return task;
    }
    return NULL;
}

PyTypeObject *pinsight_asyncio_wrapper(int number) {
    return wrappers[number].type;
}

PyMethodDef *pinsight_asyncio_wakeup(void) {
    return wakeup;
}

/* Returns the task of a callback if it is a step of a task written in Python. */
static PyObject *of_method(PyObject *callback) {
    PyObject *function = PyMethod_GET_FUNCTION(callback);
    const char *name = PyFunction_Check(function)
                           ? PyUnicode_AsUTF8(((PyFunctionObject *)function)->func_name)
                           : NULL;
    bool is_step = name && (strcmp(name, "__step") == 0 || strcmp(name, "__wakeup") == 0);
    if (!name)
        PyErr_Clear();
    return is_step ? if_task(PyMethod_GET_SELF(callback)) : NULL;
}

PyObject *pinsight_asyncio_task_of(PyObject *callback) {
    if (PyCFunction_Check(callback)) {
        PyMethodDef *method = ((PyCFunctionObject *)callback)->m_ml;
        if (!wakeup && strcmp(method->ml_name, "task_wakeup") == 0)
            wakeup = method;
        return method == wakeup ? if_task(PyCFunction_GET_SELF(callback)) : NULL;
    }
    if (Py_TYPE(callback) == &PyMethod_Type)
        return python_task_type ? of_method(callback) : NULL;
    return if_task(of_wrapper(callback));
}

PyObject *pinsight_asyncio_coroutine_of(PyObject *callback) {
    if (!PyCFunction_Check(callback))
        return NULL;
    const char *name = ((PyCFunctionObject *)callback)->m_ml->ml_name;
    PyObject *self = PyCFunction_GET_SELF(callback);
    bool goes_on = strcmp(name, "send") == 0 || strcmp(name, "throw") == 0;
    return goes_on && self && Py_TYPE(self) == &PyCoro_Type ? self : NULL;
}

/* ---- members of a task ---- */

/* Returns an attribute of an instance that is written in Python, or the class's value for it. A
 * class that computes it would run code, and is not read. */
static PyObject *read_instance(PyObject *task, enum read what) {
    PyObject *name = names[what];
    PyObject *of_class = name ? _PyType_Lookup(Py_TYPE(task), name) : NULL; /* borrowed */
    if (!name || (of_class && Py_TYPE(of_class)->tp_descr_get))
        return NULL;
    return PyObject_GenericGetAttr(task, name);
}

static PyObject *read_task(PyObject *task, enum read what) {
    PyObject *descriptor = descriptors[what], *value = NULL;
    if (!future_type || !PyObject_TypeCheck(task, future_type))
        value = read_instance(task, what);
    else if (descriptor && Py_TYPE(descriptor) == &PyGetSetDescr_Type)
        value = ((PyGetSetDescrObject *)descriptor)
                    ->d_getset->get(task, ((PyGetSetDescrObject *)descriptor)->d_getset->closure);
    else if (descriptor && Py_TYPE(descriptor) == &PyMethodDescr_Type)
        value = PyObject_CallFunctionObjArgs(descriptor, task, NULL);
    if (!value)
        PyErr_Clear();
    if (value == Py_None)
        Py_CLEAR(value);
    return value;
}

enum pinsight_asyncio_state pinsight_asyncio_state(PyObject *task) {
    PyObject *state = read_task(task, STATE);
    Py_UCS4 first = state && PyUnicode_Check(state) && PyUnicode_GetLength(state) > 0
                        ? PyUnicode_ReadChar(state, 0)
                        : 'P';
    Py_XDECREF(state);
    if (first == 'C')
        return PINSIGHT_ASYNCIO_CANCELLED;
    if (first != 'F')
        return PINSIGHT_ASYNCIO_PENDING;
    PyObject *exception = read_task(task, EXCEPTION);
    Py_XDECREF(exception);
    return exception ? PINSIGHT_ASYNCIO_RAISED : PINSIGHT_ASYNCIO_RETURNED;
}

PyObject *pinsight_asyncio_coroutine(PyObject *task) {
    return read_task(task, COROUTINE);
}

PyObject *pinsight_asyncio_awaited(PyObject *task) {
    return read_task(task, AWAITED);
}

PyObject *pinsight_asyncio_name(PyObject *task) {
    return read_task(task, NAME);
}

/* ---- event loops that are not written in Python ---- */

bool pinsight_asyncio_is_foreign(PyObject *task) {
    static PyTypeObject *base;
    if (!base)
        base = type_in("asyncio.base_events", "BaseEventLoop");
    PyObject *loop = base ? read_task(task, LOOP) : NULL;
    bool is_foreign = loop && !PyObject_TypeCheck(loop, base);
    Py_XDECREF(loop);
    return is_foreign;
}

/* The callback of a task's first step refers to the task. */
void pinsight_asyncio_seek_step(PyObject *task) {
    PyObject *module = wrappers[0].type ? NULL : PyImport_ImportModule("gc");
    PyObject *others = module ? PyObject_CallMethod(module, "get_referrers", "O", task) : NULL;
    for (Py_ssize_t i = 0; others && i < PyList_GET_SIZE(others); i++)
        of_wrapper(PyList_GET_ITEM(others, i));
    if (!others)
        PyErr_Clear();
    Py_XDECREF(others);
    Py_XDECREF(module);
}

/* The future that a task waits for has the callback that resumes the task: alone, or with its
 * context. */
void pinsight_asyncio_seek_wakeup(PyObject *future) {
    bool is_known = wakeup || wrappers[1].type;
    PyObject *callbacks = is_known || !future_type || !PyObject_TypeCheck(future, future_type)
                              ? NULL
                              : read_task(future, CALLBACKS);
    for (Py_ssize_t i = 0; callbacks && PyList_Check(callbacks) && i < PyList_GET_SIZE(callbacks);
         i++) {
        PyObject *callback = PyList_GET_ITEM(callbacks, i);
        bool is_pair = PyTuple_Check(callback) && PyTuple_GET_SIZE(callback) > 0;
        pinsight_asyncio_task_of(is_pair ? PyTuple_GET_ITEM(callback, 0) : callback);
    }
    Py_XDECREF(callbacks);
}

ternaryfunc pinsight_asyncio_redirect_wrapper(int number, ternaryfunc to) {
    PyTypeObject *type = wrappers[number].type;
    ternaryfunc own = type && type->tp_call != to ? type->tp_call : NULL;
    if (own)
        type->tp_call = to;
    return own;
}

/* ---- new tasks ---- */

bool pinsight_asyncio_redirect(initproc init, initproc *own) {
    if (!task_type)
        return false;
    if (!*own)
        pinsight_type_redirect_init(task_type, init, own);
    return true;
}

PyMethodDef *pinsight_asyncio_future_method(const char *name) {
    return future_type ? pinsight_method_of(future_type, name) : NULL;
}
