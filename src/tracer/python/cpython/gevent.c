/* gevent's event loop; see gevent.h. */
#include "tracer/python/cpython/gevent.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/type_slots.h"
#include "tracer/python/modules.h"

#include <string.h>

static const char module_name[] = "gevent.libev.corecext";

/* Found once, and never freed. */
static PyTypeObject *callback_type;
static const PyGetSetDef *function_of, *arguments_of;

static PyTypeObject *type_in(PyObject *dict, const char *name) {
    PyObject *type = PyDict_GetItemString(dict, name);
    return type && PyType_Check(type) ? (PyTypeObject *)type : NULL;
}

static const PyGetSetDef *getter_of(PyTypeObject *type, const char *name) {
    PyObject *descriptor = PyDict_GetItemString(pinsight_type_dict(type), name);
    return descriptor && Py_TYPE(descriptor) == &PyGetSetDescr_Type
               ? ((PyGetSetDescrObject *)descriptor)->d_getset
               : NULL;
}

static bool has(PyObject *callback, const PyGetSetDef *what) {
    PyObject *value = what->get(callback, what->closure);
    bool is_there = value && value != Py_None;
    if (!value)
        PyErr_Clear();
    Py_XDECREF(value); /* the callback keeps it */
    return is_there;
}

bool pinsight_gevent_is_callback(PyObject *object) {
    return Py_TYPE(object) == callback_type;
}

enum pinsight_gevent_state pinsight_gevent_state(PyObject *callback) {
    return has(callback, function_of)    ? PINSIGHT_GEVENT_WAITS
           : has(callback, arguments_of) ? PINSIGHT_GEVENT_RUNS
                                         : PINSIGHT_GEVENT_IS_OVER;
}

static bool is_loop(PyObject *module) {
    const char *name = PyModule_Check(module) ? PyModule_GetName(module) : NULL;
    if (!name)
        PyErr_Clear();
    return name && strcmp(name, module_name) == 0;
}

void pinsight_gevent_redirect(PyObject *module, const struct pinsight_gevent_ways *to,
                              struct pinsight_gevent_ways *own) {
    if (callback_type)
        return;
    if (!module)
        module = pinsight_module_there(module_name);
    PyObject *dict = module && is_loop(module) ? PyModule_GetDict(module) : NULL;
    PyTypeObject *loop = dict ? type_in(dict, "loop") : NULL;
    PyTypeObject *callback = dict ? type_in(dict, "callback") : NULL;
    PyMethodDef *method = loop ? pinsight_method_of(loop, "run_callback") : NULL;
    function_of = callback ? getter_of(callback, "callback") : NULL;
    arguments_of = callback ? getter_of(callback, "args") : NULL;
    if (!method || !function_of || !arguments_of)
        return;
    own->dealloc = callback->tp_dealloc;
    if (!pinsight_method_redirect(method, METH_FASTCALL | METH_KEYWORDS,
                                  (PyCFunction)(void (*)(void))to->run_callback,
                                  (PyCFunction *)(void *)&own->run_callback))
        return;
    Py_INCREF(callback);
    callback_type = callback;
    pinsight_type_redirect(callback, offsetof(PyTypeObject, tp_dealloc),
                           (void *)(uintptr_t)own->dealloc, (void *)(uintptr_t)to->dealloc);
}
