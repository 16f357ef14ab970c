/* The module greenlet; see greenlet.h. */
#include "tracer/python/cpython/greenlet.h"

#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/type_slots.h"
#include "tracer/python/modules.h"

#include <string.h>

/* Indexes in the table of the capsule. */
enum { TYPE, CURRENT = 4, THROW, SWITCH, MAIN = 8, STARTED, ACTIVE };

static PyTypeObject *greenlet_type;
static void **api;

typedef int ask(PyObject *greenlet);

static bool is(PyObject *greenlet, int question) {
    return ((ask *)api[question])(greenlet) > 0;
}

bool pinsight_greenlet_is_active(PyObject *greenlet) {
    return is(greenlet, ACTIVE);
}

bool pinsight_greenlet_has_begun(PyObject *greenlet) {
    return is(greenlet, STARTED);
}

bool pinsight_greenlet_is_main(PyObject *greenlet) {
    return is(greenlet, MAIN);
}

PyObject *pinsight_greenlet_current(void) {
    PyObject *current = ((PyObject * (*)(void)) api[CURRENT])();
    if (!current)
        PyErr_Clear();
    return current;
}

/* ---- finding the module ---- */

static bool find_type(PyObject *module) {
    if (!module)
        module = pinsight_module_there("greenlet._greenlet");
    const char *name = module && PyModule_Check(module) ? PyModule_GetName(module) : NULL;
    PyObject *dict =
        name && strcmp(name, "greenlet._greenlet") == 0 ? PyModule_GetDict(module) : NULL;
    /* Earlier versions, with a shorter table, do not have this function. */
    bool is_known = dict && PyDict_GetItemString(dict, "get_pending_cleanup_count");
    PyObject *capsule = is_known ? PyDict_GetItemString(dict, "_C_API") : NULL;
    PyObject *type = dict ? PyDict_GetItemString(dict, "greenlet") : NULL;
    if (!name)
        PyErr_Clear();
    if (!capsule || !PyCapsule_IsValid(capsule, "greenlet._C_API") || !type || !PyType_Check(type))
        return false;
    api = PyCapsule_GetPointer(capsule, "greenlet._C_API");
    if (api[TYPE] != type)
        return false;
    Py_INCREF(type);
    greenlet_type = (PyTypeObject *)type;
    return true;
}

bool pinsight_greenlet_redirect(PyObject *module, const struct pinsight_greenlet_ways *to,
                                struct pinsight_greenlet_ways *own) {
    if (greenlet_type)
        return true;
    if (!find_type(module))
        return false;
    PyMethodDef *switch_to = pinsight_method_of(greenlet_type, "switch"),
                *throw_into = pinsight_method_of(greenlet_type, "throw");
    if (!switch_to || !throw_into ||
        !pinsight_method_redirect(switch_to, METH_VARARGS | METH_KEYWORDS,
                                  (PyCFunction)(void (*)(void))to->switch_to,
                                  (PyCFunction *)(void *)&own->switch_to) ||
        !pinsight_method_redirect(throw_into, METH_VARARGS, to->throw_into, &own->throw_into))
        return false;
    own->c_switch = (PyObject * (*)(PyObject *, PyObject *, PyObject *)) api[SWITCH];
    own->c_throw = (PyObject * (*)(PyObject *, PyObject *, PyObject *, PyObject *)) api[THROW];
    api[SWITCH] = (void *)(uintptr_t)to->c_switch;
    api[THROW] = (void *)(uintptr_t)to->c_throw;
    own->dealloc = greenlet_type->tp_dealloc;
    pinsight_type_redirect(greenlet_type, offsetof(PyTypeObject, tp_dealloc),
                           (void *)(uintptr_t)own->dealloc, (void *)(uintptr_t)to->dealloc);
    pinsight_type_redirect_init(greenlet_type, to->init, &own->init);
    return true;
}
