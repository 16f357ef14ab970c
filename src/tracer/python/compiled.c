/* The module of compiled code; see compiled.h. */
#include "tracer/python/compiled.h"

#include "tracer/python/modules.h"
#include "tracer/python/text.h"

#include <stdlib.h>
#include <string.h>

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns a module's globals if the module's file has the same name as `path` up to the first dot.
 * The module of kernel.pyx is kernel.cpython-313-x86_64-linux-gnu.so. */
static PyObject *globals_if_of(const char *name, const char *path, size_t stem) {
    PyObject *module = pinsight_module_there(name);
    PyObject *globals = module ? PyModule_GetDict(module) : NULL;
    PyObject *value = globals ? PyDict_GetItemString(globals, "__file__") : NULL;
    char *file = value ? pinsight_utf8_copy(value) : NULL;
    const char *base = file ? base_of(file) : "";
    bool same = strcmp(name, "__main__") == 0
                    ? file && strcmp(file, path) == 0
                    : strncmp(base, base_of(path), stem) == 0 && base[stem] == '.';
    free(file);
    return same ? globals : NULL;
}

/* Turns a path into a dotted name, without the ending. Of a package, it is the folder's. */
static void to_name(char *path, size_t stem) {
    char *base = (char *)base_of(path);
    base[stem] = '\0';
    if (strcmp(base, "__init__") == 0 && base > path)
        base[-1] = '\0';
    for (char *at = path; *at; at++)
        if (*at == '/')
            *at = '.';
}

static PyObject *globals_of_file(const char *path) {
    size_t stem = strcspn(base_of(path), ".");
    PyObject *found = globals_if_of("__main__", path, stem);
    char *name = found ? NULL : strdup(path);
    if (name)
        to_name(name, stem);
    /* Outer folders may be none of the module's packages. */
    for (const char *at = name; at && !found;) {
        found = *at ? globals_if_of(at, path, stem) : NULL;
        at = strchr(at, '.');
        at = at ? at + 1 : NULL;
    }
    free(name);
    return found;
}

PyObject *pinsight_compiled_globals(PyCodeObject *code) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    char *path = pinsight_utf8_copy(code->co_filename);
    PyObject *found = path ? globals_of_file(path) : NULL;
    free(path);
    PyErr_Restore(type, value, traceback);
    return found;
}
