/* Imports; see import.h. */
#include "tracer/python/import.h"

#include "base/users_code.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/first_argument.h"
#include "tracer/python/cpython/profile_hook.h"
#include "tracer/python/modules.h"
#include "tracer/python/path.h"
#include "tracer/python/profiler_replaced.h"
#include "tracer/python/text.h"
#include "tracer/python/versions.h"

#include <stdlib.h>
#include <string.h>

static void record_begin(struct pinsight_python_thread *thread, const char *module, uint32_t path) {
    pinsight_python_progress(thread);
    pinsight_record_python_import_begin(module, thread->number, path);
    pinsight_python_progress(thread);
}

/* Returns the name of the module that the running function imports, which the caller frees, or
 * NULL. */
static char *find_name(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *name = pinsight_argument(0, "name");
    char *module = name && PyUnicode_Check(name) ? pinsight_utf8_copy(name) : NULL;
    Py_XDECREF(name);
    PyErr_Restore(type, value, traceback);
    return module;
}

char *pinsight_import_begin(struct pinsight_python_thread *thread) {
    char *module = pinsight_record_python_import_begin_enabled() ? find_name() : NULL;
    if (!module)
        return NULL;
    uint32_t path = thread->import_frame ? 0 : pinsight_path_here();
    record_begin(thread, module, path);
    return module;
}

char *pinsight_import_resume(struct pinsight_python_thread *thread, const char *module) {
    char *copy = strdup(module);
    if (copy)
        record_begin(thread, copy, 0);
    return copy;
}

/* Called when there are more modules, because other parts wait for some of them. */
static void look_at_modules(void) {
#if !PINSIGHT_HAS_MONITORING
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_profiler_replaced_start();
    pinsight_profile_hook_look();
    PyErr_Restore(type, value, traceback);
#endif
}

void pinsight_import_end(struct pinsight_python_thread *thread, char *module, int how) {
    if (how != PINSIGHT_PYTHON_IMPORT_END_HOW_LOST)
        look_at_modules();
    if (module && !pinsight_stuck()) {
        pinsight_python_progress(thread);
        pinsight_record_python_import_end(module, thread->number, (uint8_t)how);
        pinsight_python_progress(thread);
    }
    free(module);
}

/* Counted imports by their modules. */
#define BUCKETS 256u
struct counted_import {
    struct counted_import *next;
    struct pinsight_python_lexgion *lexgion;
};
/* Interpreters with their own GIL may add items concurrently. No item is removed. */
static _Atomic(struct counted_import *) counted[BUCKETS];

static _Atomic(struct counted_import *) *bucket_of(const char *module) {
    uint32_t hash = 0;
    for (; *module; module++)
        hash = hash * 31 + (unsigned char)*module;
    return &counted[hash % BUCKETS];
}

/* Makes the lexgion of a module, and takes ownership of the name. NULL if memory is short. */
static struct pinsight_python_lexgion *lexgion_new(char *module) {
    char *name = NULL;
    if (asprintf(&name, "import %s", module) < 0)
        name = NULL;
    return pinsight_lexgion_new(false, name, strdup(PINSIGHT_IMPORT_FILE), module, 0);
}

struct pinsight_python_lexgion *pinsight_import_lexgion(void) {
    char *module = find_name();
    if (!module)
        return NULL;
    _Atomic(struct counted_import *) *bucket = bucket_of(module);
    struct counted_import *import = atomic_load(bucket);
    while (import && strcmp(import->lexgion->module, module) != 0)
        import = import->next;
    if (import || !(import = malloc(sizeof *import))) {
        free(module);
        return import ? import->lexgion : NULL;
    }
    *import = (struct counted_import){.next = atomic_load(bucket), .lexgion = lexgion_new(module)};
    if (!import->lexgion) {
        free(import);
        return NULL;
    }
    while (!atomic_compare_exchange_weak(bucket, &import->next, import))
        ;
    return import->lexgion;
}

void *pinsight_import_code(void) {
    static PyObject *module_key, *function_key;
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module =
        modules ? pinsight_dict_find(modules, "_frozen_importlib", &module_key) : NULL;
    PyObject *function =
        module && PyModule_Check(module)
            ? pinsight_dict_find(PyModule_GetDict(module), "_find_and_load", &function_key)
            : NULL;
    return function && PyFunction_Check(function) ? PyFunction_GET_CODE(function) : NULL;
}
