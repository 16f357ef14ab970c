/* Which module a piece of code belongs to; see modules.h. */
#include "domains/python/modules.h"

#include "core/resolve.h"
#include "domains/python/domain.h"
#include "domains/python/lexgion.h"
#include "domains/python/method_table.h"

#include <stdlib.h>
#include <string.h>

/* Names by which one module is known. */
static const char *const aliases[][2] = {
    {"importlib._bootstrap", "_frozen_importlib"},
    {"importlib._bootstrap_external", "_frozen_importlib_external"},
};

char *pinsight_module_name(PyObject *globals) {
    if (!globals || !PyDict_CheckExact(globals))
        return strdup("?");
    return pinsight_utf8_copy(PyDict_GetItemString(globals, "__name__"));
}

/* What `python -m` was given, to be freed; NULL for a script. The specification is an instance of a
 * class of importlib's, with plain attributes. */
static char *main_name(void) {
    PyObject *module = pinsight_module_there("__main__"); /* borrowed */
    PyObject *spec = module ? PyDict_GetItemString(PyModule_GetDict(module), "__spec__") : NULL;
    PyObject *key = spec && spec != Py_None ? PyUnicode_InternFromString("name") : NULL;
    PyObject *name = NULL;
    if (key && !_PyType_Lookup(Py_TYPE(spec), key))
        name = PyObject_GenericGetAttr(spec, key);
    Py_XDECREF(key);
    char *text = name && PyUnicode_Check(name) ? pinsight_utf8_copy(name) : NULL;
    Py_XDECREF(name);
    PyErr_Clear();
    return text;
}

/* With a filter one of the names is enough; an exclusion of one of them excludes it. */
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

bool pinsight_module_globals_wanted(PyObject *globals) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    char *name = pinsight_module_name(globals);
    PyErr_Restore(type, value, traceback);
    bool wanted = !name || pinsight_module_wanted(name);
    free(name);
    return wanted;
}
