/* The qualified name of a code object; see qualname.h. */
#include "tracer/python/qualname.h"
#include "tracer/python/cpython/code_extra_set.h"

#include "tracer/python/text.h"

#if PY_VERSION_HEX >= 0x030b0000

char *pinsight_qualname(PyCodeObject *code, PyObject *globals) {
    (void)globals;
    return pinsight_utf8_copy(code->co_qualname);
}

#else

#include <stdlib.h>
#include <string.h>

/* The index of a second code extra. It has the name from the parent's constants until the code
 * first runs. */
static Py_ssize_t name_index = -1;

static const char *known_name(PyCodeObject *code) {
    void *name = NULL;
    if (name_index < 0)
        name_index = PyUnstable_Eval_RequestCodeExtraIndex(free);
    if (name_index < 0 || PyUnstable_Code_GetExtra((PyObject *)code, name_index, &name) != 0)
        return NULL;
    return name;
}

/* Names the code objects among the constants of one with a name, and theirs. A function's children
 * are name.<locals>.child, a class body's name.child, a module's child. */
static void name_children(PyCodeObject *code, const char *name, int depth) {
    bool is_module = strcmp(name, "<module>") == 0;
    const char *joint = is_module ? "" : (code->co_flags & CO_OPTIMIZED) ? ".<locals>." : ".";
    const char *prefix = is_module ? "" : name;
    if (depth > 50)
        return;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
        PyObject *constant = PyTuple_GET_ITEM(code->co_consts, i);
        if (!PyCode_Check(constant) || known_name((PyCodeObject *)constant))
            continue;
        PyCodeObject *child = (PyCodeObject *)constant;
        char *own = pinsight_utf8_copy(child->co_name);
        if (!own)
            return;
        size_t length = strlen(prefix) + strlen(joint) + strlen(own) + 1;
        char *full = malloc(length);
        if (full) {
            strcpy(full, prefix);
            strcat(full, joint);
            strcat(full, own);
            if (name_index < 0 ||
                pinsight_code_extra_set((PyCodeObject *)constant, name_index, full) != 0) {
                free(full);
                full = NULL;
            }
        }
        free(own);
        if (full)
            name_children(child, full, depth + 1);
    }
}

static char *search(PyObject *dictionary, PyCodeObject *code, int depth);

/* Searches a value of a namespace for a function that runs `code`. Reads fields of C structs only.
 */
static char *search_value(PyObject *value, PyCodeObject *code, int depth) {
    if (PyFunction_Check(value)) {
        PyFunctionObject *function = (PyFunctionObject *)value;
        return function->func_code == (PyObject *)code ? pinsight_utf8_copy(function->func_qualname)
                                                       : NULL;
    }
    if (PyType_Check(value) && depth < 3 && ((PyTypeObject *)value)->tp_dict)
        return search(((PyTypeObject *)value)->tp_dict, code, depth + 1);
    return NULL;
}

static char *search(PyObject *dictionary, PyCodeObject *code, int depth) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dictionary, &position, &key, &value)) {
        char *name = search_value(value, code, depth);
        if (name)
            return name;
    }
    return NULL;
}

char *pinsight_qualname(PyCodeObject *code, PyObject *globals) {
    const char *known = known_name(code);
    char *name = known ? strdup(known) : NULL;
    if (!name && globals && PyDict_CheckExact(globals))
        name = search(globals, code, 0);
    if (!name)
        name = pinsight_utf8_copy(code->co_name);
    if (name)
        name_children(code, name, 0);
    return name;
}

#endif
