/* Notification of extension modules; see extension_modules.h. */
#include "tracer/python/extension_modules.h"

#include "tracer/python/cpython/method_table.h"
#include "tracer/python/modules.h"

#define LISTENERS 8

static void (*listeners[LISTENERS])(PyObject *module);
static PyCFunction own_create, own_exec, own_create_builtin, own_exec_builtin;

static void loaded(PyObject *module) {
    if (!module || !pinsight_in_main_interpreter())
        return;
    for (int i = 0; i < LISTENERS && listeners[i]; i++)
        listeners[i](module);
}

/* Called for modules of both kinds. A module with multi-phase initialisation gets its types in the
 * next phase. */
static PyObject *create_dynamic(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *module = ((_PyCFunctionFast)(void (*)(void))own_create)(self, arguments, count);
    loaded(module);
    return module;
}

static PyObject *exec_dynamic(PyObject *self, PyObject *module) {
    PyObject *result = own_exec(self, module);
    if (result)
        loaded(module);
    return result;
}

/* Modules in the interpreter's executable. Some distributions have all of the library there. */
static PyObject *create_builtin(PyObject *self, PyObject *spec) {
    PyObject *module = own_create_builtin(self, spec);
    loaded(module);
    return module;
}

static PyObject *exec_builtin(PyObject *self, PyObject *module) {
    PyObject *result = own_exec_builtin(self, module);
    if (result)
        loaded(module);
    return result;
}

static void redirect(PyObject *module, const char *name, int flags, PyCFunction to,
                     PyCFunction *own) {
    PyObject *function =
        module && !*own ? PyDict_GetItemString(PyModule_GetDict(module), name) : NULL;
    pinsight_function_redirect(function, flags, to, own);
}

void pinsight_extension_modules_listen(void (*listener)(PyObject *module)) {
    int i = 0;
    while (i < LISTENERS && listeners[i] && listeners[i] != listener)
        i++;
    if (i < LISTENERS)
        listeners[i] = listener;
    PyObject *module = pinsight_module_there("_imp");
    redirect(module, "create_dynamic", METH_FASTCALL, (PyCFunction)(void (*)(void))create_dynamic,
             &own_create);
    redirect(module, "exec_dynamic", METH_O, exec_dynamic, &own_exec);
    redirect(module, "create_builtin", METH_O, create_builtin, &own_create_builtin);
    redirect(module, "exec_builtin", METH_O, exec_builtin, &own_exec_builtin);
}
