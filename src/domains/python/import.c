/* Imports; see import.h. */
#include "domains/python/import.h"

#include "domains/python/balance.h"
#include "domains/python/cpython/first_argument.h"
#include "domains/python/modules.h"
#include "domains/python/plain.h"
#include "domains/python/text.h"
#include "domains/python/versions.h"

#include <stdlib.h>

char *pinsight_import_begin(struct pinsight_python_thread *thread) {
    if (!pinsight_record_python_import_begin_enabled())
        return NULL;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
#if PY_VERSION_HEX < 0x030c0000
    PyObject *name =
        pinsight_plain() ? pinsight_plain_argument("name") : pinsight_argument(0, "name");
#else
    PyObject *name = pinsight_argument(0, "name");
#endif
    char *module = name && PyUnicode_Check(name) ? pinsight_utf8_copy(name) : NULL;
    Py_XDECREF(name);
    PyErr_Restore(type, value, traceback);
    if (!module)
        return NULL;
    pinsight_python_progress(thread);
    pinsight_record_python_import_begin(module, thread->number);
    pinsight_python_progress(thread);
    return module;
}

void pinsight_import_end(struct pinsight_python_thread *thread, char *module, int how) {
    if (!pinsight_stuck()) {
        pinsight_python_progress(thread);
        pinsight_record_python_import_end(module, thread->number, (uint8_t)how);
        pinsight_python_progress(thread);
    }
    free(module);
}

void *pinsight_import_code(void) {
    PyObject *module = pinsight_module_there("_frozen_importlib");
    PyObject *function =
        module ? PyDict_GetItemString(PyModule_GetDict(module), "_find_and_load") : NULL;
    return function && PyFunction_Check(function) ? PyFunction_GET_CODE(function) : NULL;
}
