/* Names of routines of f2py; see f2py.h. */
#include "tracer/python/f2py.h"

#include "tracer/python/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the routine's name, which the caller frees, or NULL. Its attribute is "function dgemm",
 * and comes from C code of f2py. */
static char *routine_of(PyObject *object) {
    const PyTypeObject *type = Py_TYPE(object);
    if (strcmp(type->tp_name, "fortran") != 0 || (type->tp_flags & Py_TPFLAGS_HEAPTYPE) ||
        !type->tp_call)
        return NULL;
    PyObject *value = PyObject_GetAttrString(object, "__name__");
    char *text = value && PyUnicode_Check(value) ? pinsight_utf8_copy(value) : NULL;
    Py_XDECREF(value);
    PyErr_Clear();
    const char *blank = text ? strrchr(text, ' ') : NULL;
    if (blank)
        memmove(text, blank + 1, strlen(blank));
    return text;
}

bool pinsight_is_f2py(PyObject *object) {
    PyObject *type, *value, *traceback;
    if (strcmp(Py_TYPE(object)->tp_name, "fortran") != 0)
        return false;
    PyErr_Fetch(&type, &value, &traceback);
    char *name = routine_of(object);
    PyErr_Restore(type, value, traceback);
    free(name);
    return name != NULL;
}

/* The search for the module of an object. */
struct f2py_search {
    PyObject *object;
    const char *routine;
    char best[256]; /* the name of the best module so far */
};

static bool is_extension(PyObject *globals) {
    PyObject *value = PyDict_GetItemString(globals, "__file__");
    char *file = value ? pinsight_utf8_copy(value) : NULL;
    size_t length = file ? strlen(file) : 0;
    bool is = length > 3 && strcmp(file + length - 3, ".so") == 0;
    free(file);
    return is;
}

/* Takes the module if it has the object and is better. First, that is an extension module; then,
 * `beside` it, a module of the same package without an underscore in its name. */
static void look_at(struct f2py_search *search, const char *name, PyObject *module, size_t beside) {
    PyObject *globals = PyModule_GetDict(module);
    if (strlen(name) >= sizeof search->best ||
        PyDict_GetItemString(globals, search->routine) != search->object)
        return;
    if (beside
            ? strncmp(name, search->best, beside) == 0 && name[beside] != '_' && !strstr(name, "._")
            : !search->best[0] && is_extension(globals))
        snprintf(search->best, sizeof search->best, "%s", name);
}

/* Searches a copy, because other threads of a free-threaded CPython may import meanwhile. */
static void look_at_all(struct f2py_search *search, size_t beside) {
    PyObject *there = PyImport_GetModuleDict(), *key, *module;
    PyObject *modules = there ? PyDict_Copy(there) : NULL;
    Py_ssize_t at = 0;
    while (modules && PyDict_Next(modules, &at, &key, &module)) {
        if (!PyModule_CheckExact(module) || !PyUnicode_Check(key))
            continue;
        char *name = pinsight_utf8_copy(key);
        if (name)
            look_at(search, name, module, beside);
        free(name);
    }
    Py_XDECREF(modules);
    PyErr_Clear();
}

void pinsight_name_f2py(PyObject *object, struct pinsight_callable_name *out) {
    char *routine = routine_of(object);
    struct f2py_search search = {.object = object, .routine = routine ? routine : "?"};
    look_at_all(&search, 0);
    const char *last = strrchr(search.best, '.');
    if (last && last[1] == '_')
        look_at_all(&search, (size_t)(last + 1 - search.best));
    const char *module = search.best[0] ? search.best : "fortran";
    out->module = strdup(module);
    if (asprintf(&out->name, "%s.%s", module, search.routine) < 0)
        out->name = NULL;
    out->owner = object;
    free(routine);
}
