/* The module of a piece of code; see modules.h. */
#include "tracer/python/modules.h"

#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/domain.h"
#include "tracer/python/text.h"

#include <stdlib.h>
#include <string.h>

PyObject *pinsight_module_there(const char *name) {
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules ? PyDict_GetItemString(modules, name) : NULL;
    return module && PyModule_Check(module) ? module : NULL;
}

PyObject *pinsight_dict_find(PyObject *dict, const char *name, PyObject **key) {
    /* Another interpreter has its own strings. */
    if (!pinsight_in_main_interpreter())
        return PyDict_GetItemString(dict, name);
    PyObject *string = PINSIGHT_GET(*key);
    if (!string) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        string = PyUnicode_InternFromString(name);
        PyErr_Restore(type, value, traceback);
        PINSIGHT_PUT(*key, string);
    }
    return string ? PyDict_GetItem(dict, string) : NULL;
}

bool pinsight_modules_differ(Py_ssize_t *looked_at) {
    PyObject *modules = PyImport_GetModuleDict();
    Py_ssize_t count = modules && PyDict_Check(modules) ? PyDict_GET_SIZE(modules) : 0;
    bool differ = count != *looked_at;
    *looked_at = count;
    return differ;
}

/* Two names of one module. */
static const char *const aliases[][2] = {
    {"importlib._bootstrap", "_frozen_importlib"},
    {"importlib._bootstrap_external", "_frozen_importlib_external"},
};

char *pinsight_module_name(PyObject *globals) {
    if (!globals || !PyDict_CheckExact(globals))
        return strdup("?");
    return pinsight_utf8_copy(PyDict_GetItemString(globals, "__name__"));
}

/* Returns the argument of `python -m`, which the caller frees, or NULL for a script. The
 * specification is an instance of importlib's class with plain attributes. */
static char *main_name(void) {
    PyObject *module = pinsight_module_there("__main__"); /* borrowed */
    PyObject *spec = module ? PyDict_GetItemString(PyModule_GetDict(module), "__spec__") : NULL;
    PyObject *key = spec && spec != Py_None ? PyUnicode_InternFromString("name") : NULL;
    PyObject *name = NULL;
    if (key && !pinsight_type_has(Py_TYPE(spec), "name"))
        name = PyObject_GenericGetAttr(spec, key);
    Py_XDECREF(key);
    char *text = name && PyUnicode_Check(name) ? pinsight_utf8_copy(name) : NULL;
    Py_XDECREF(name);
    PyErr_Clear();
    return text;
}

/* A filter matches if one of the names does. An exclusion also needs only one of them. */
static bool either_wanted(const char *one, const char *other) {
    if (pinsight_resolve_module_excluded(&pinsight_python_domain, one) ||
        pinsight_resolve_module_excluded(&pinsight_python_domain, other))
        return false;
    return pinsight_resolve_module(&pinsight_python_domain, one) ||
           pinsight_resolve_module(&pinsight_python_domain, other);
}

bool pinsight_module_wanted(const char *module) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(module, aliases[i][0]) == 0 || strcmp(module, aliases[i][1]) == 0)
            return either_wanted(aliases[i][0], aliases[i][1]);
    if (strcmp(module, "__main__") == 0) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        char *name = main_name();
        PyErr_Restore(type, value, traceback);
        bool wanted = either_wanted(module, name ? name : module);
        free(name);
        return wanted;
    }
    return pinsight_resolve_module(&pinsight_python_domain, module);
}

/* Results for the last names. Functions of a module have the same string object. A reference to it
 * is held, so that its address is not reused. Under the GIL. */
#define KNOWN 8
static struct {
    PyObject *name;
    uint32_t config_version; /* of the settings */
    bool wanted;
} known[KNOWN];

/* __main__ is not cached, because its meaning may become known later. */
static void keep(PyObject *name, uint32_t config_version, bool wanted) {
    static unsigned next;
    if (!PyUnicode_CheckExact(name) || PyUnicode_CompareWithASCIIString(name, "__main__") == 0)
        return;
    PyObject *old = known[next].name;
    Py_INCREF(name);
    known[next].name = name;
    known[next].config_version = config_version;
    known[next].wanted = wanted;
    next = (next + 1) % KNOWN;
    Py_XDECREF(old);
}

bool pinsight_module_globals_wanted(PyObject *globals) {
    static PyObject *key; /* never freed */
    PyObject *type, *value, *traceback;
    uint32_t config_version = pinsight_config_version(); /* read before any look-up */
    /* Another interpreter has its own strings. */
    if (!pinsight_in_main_interpreter()) {
        char *name = pinsight_module_name(globals);
        bool wanted = !name || pinsight_module_wanted(name);
        free(name);
        return wanted;
    }
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *module = globals && PyDict_CheckExact(globals)
                           ? pinsight_dict_find(globals, "__name__", &key)
                           : NULL;
    unsigned i = 0;
    while (i < KNOWN && (known[i].name != module || known[i].config_version != config_version))
        i++;
    bool wanted = i < KNOWN && module ? known[i].wanted : true;
    if (i == KNOWN || !module) {
        char *name = pinsight_utf8_copy(module);
        wanted = !name || pinsight_module_wanted(name);
        if (name && module)
            keep(module, config_version, wanted);
        free(name);
    }
    PyErr_Restore(type, value, traceback);
    return wanted;
}
