/* trio's tasks; see trio.h. */
#include "tracer/python/cpython/trio.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/first_argument.h"
#include "tracer/python/modules.h"

#include <string.h>

/* Returns a slot of a class of trio's, or the instance's member, as a new reference, or NULL.
 * Values that a class computes in Python are not read. */
static PyObject *slot_of(PyObject *object, const char *name) {
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *of_class = key ? _PyType_Lookup(Py_TYPE(object), key) : NULL; /* borrowed */
    bool may_read = key && (!of_class || Py_TYPE(of_class) == &PyMemberDescr_Type ||
                            !Py_TYPE(of_class)->tp_descr_get);
    PyObject *value = may_read ? PyObject_GenericGetAttr(object, key) : NULL;
    Py_XDECREF(key);
    if (!value)
        PyErr_Clear();
    if (value == Py_None)
        Py_CLEAR(value);
    return value;
}

/* Returns the running task if it runs this coroutine. */
static PyObject *task_of(PyObject *coroutine) {
    PyObject *module = pinsight_module_there("trio._core._run");
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *context = dict ? PyDict_GetItemString(dict, "GLOBAL_RUN_CONTEXT") : NULL;
    const PyTypeObject *local = context ? Py_TYPE(context)->tp_base : NULL;
    /* A threading.local whose look-up is in C alone. */
    if (!local || strcmp(local->tp_name, "_thread._local") != 0 ||
        Py_TYPE(context)->tp_getattro != local->tp_getattro)
        return NULL;
    PyObject *task = PyObject_GetAttrString(context, "task");
    PyObject *runs = task ? slot_of(task, "coro") : NULL;
    if (!task)
        PyErr_Clear();
    if (runs != coroutine)
        Py_CLEAR(task);
    Py_XDECREF(runs);
    return task;
}

PyObject *pinsight_trio_name(PyObject *coroutine) {
    PyObject *task = task_of(coroutine), *name = task ? slot_of(task, "name") : NULL;
    Py_XDECREF(task);
    return name;
}

PyObject *pinsight_trio_parent(PyObject *coroutine) {
    PyObject *task = task_of(coroutine);
    PyObject *nursery = task ? slot_of(task, "_parent_nursery") : NULL;
    PyObject *parent = nursery ? slot_of(nursery, "_parent_task") : NULL;
    PyObject *runs = parent ? slot_of(parent, "coro") : NULL;
    Py_XDECREF(parent);
    Py_XDECREF(nursery);
    Py_XDECREF(task);
    return runs;
}

PyCodeObject *pinsight_trio_scheduler(void) {
    static PyCodeObject *found;  /* never freed */
    static Py_ssize_t looked_at; /* number of modules at the last look */
    if (found || !pinsight_modules_differ(&looked_at))
        return found;
    PyObject *module = pinsight_module_there("trio._core._run");
    PyObject *runner = module ? PyDict_GetItemString(PyModule_GetDict(module), "Runner") : NULL;
    PyObject *dict =
        runner && PyType_Check(runner) ? pinsight_type_dict((PyTypeObject *)runner) : NULL;
    PyObject *function = dict ? PyDict_GetItemString(dict, "reschedule") : NULL;
    if (function && PyFunction_Check(function)) {
        found = (PyCodeObject *)PyFunction_GET_CODE(function);
        Py_INCREF(found);
    }
    return found;
}

PyObject *pinsight_trio_scheduled(void) {
    PyObject *task = pinsight_argument(1, "task"), *runs = task ? slot_of(task, "coro") : NULL;
    Py_XDECREF(task);
    return runs;
}
