/* The request to Numba; see numba.h. */
#include "tracer/python/numba.h"

#include "tracer/python/extension_modules.h"
#include "tracer/python/modules.h"
#include "tracer/python/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if PINSIGHT_HAS_MONITORING

/* Numba reads the interpreter's structs by itself. Some releases cannot do it in CPython 3.14.4 and
 * later: they warn, or read from wrong places. This is the first release that was tried there. */
static bool can_report(void) {
#if PY_VERSION_HEX >= 0x030e0000
    int major = 0, minor = 0;
    PyObject *module = pinsight_module_there("numba");
    PyObject *value = module ? PyDict_GetItemString(PyModule_GetDict(module), "__version__") : NULL;
    char *version = value ? pinsight_utf8_copy(value) : NULL;
    bool can =
        version && sscanf(version, "%d.%d", &major, &minor) == 2 && (major > 0 || minor >= 68);
    free(version);
    return can;
#else
    return true;
#endif
}

/* Called for an extension module that was loaded, or with NULL. */
static void loaded(PyObject *module) {
    static const char key[] = "ENABLE_SYS_MONITORING";
    const char *name = module && PyModule_Check(module) ? PyModule_GetName(module) : NULL;
    PyErr_Clear();
    if ((module && (!name || strcmp(name, "numba._dispatcher") != 0)) ||
        getenv("NUMBA_ENABLE_SYS_MONITORING"))
        return;
    PyObject *config = pinsight_module_there("numba.core.config");
    PyObject *settings = config ? PyModule_GetDict(config) : NULL;
    PyObject *is_on = settings ? PyDict_GetItemString(settings, key) : NULL;
    if (!is_on || !PyLong_CheckExact(is_on) || PyLong_AsLong(is_on) != 0 || !can_report())
        return;
    PyObject *on = PyLong_FromLong(1);
    if (!on || PyDict_SetItemString(settings, key, on) != 0)
        PyErr_Clear();
    Py_XDECREF(on);
}

void pinsight_numba_watch(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_extension_modules_listen(loaded);
    loaded(NULL);
    PyErr_Restore(type, value, traceback);
}

#else

void pinsight_numba_watch(void) {
}

#endif
