/* uvloop before CPython 3.12; see task_loops.h. */
#include "tracer/python/task_loops.h"

#if PINSIGHT_HAS_MONITORING

void pinsight_task_loops_watch(PyObject *module) {
    (void)module;
}

#else

#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/modules.h"
#include "tracer/python/profile.h"

#include <string.h>

static const char module_name[] = "uvloop.loop", method_name[] = "run_forever";

static PyCFunction own_run;
static PyObject *function; /* a function that the program calls; never freed */

static PyObject *run(PyObject *loop, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *names) {
    pinsight_profile_report(PyTrace_C_CALL, function);
    PyObject *result =
        ((_PyCFunctionFastWithKeywords)(void (*)(void))own_run)(loop, arguments, count, names);
    pinsight_profile_report(result ? PyTrace_C_RETURN : PyTrace_C_EXCEPTION, function);
    return result;
}

void pinsight_task_loops_watch(PyObject *module) {
    if (function)
        return;
    if (!module)
        module = pinsight_module_there(module_name);
    const char *name = module && PyModule_Check(module) ? PyModule_GetName(module) : NULL;
    if (!name)
        PyErr_Clear();
    if (!name || strcmp(name, module_name) != 0)
        return;
    PyObject *loop = PyDict_GetItemString(PyModule_GetDict(module), "Loop");
    PyTypeObject *type = loop && PyType_Check(loop) ? (PyTypeObject *)loop : NULL;
    PyMethodDef *method = type ? pinsight_method_of(type, method_name) : NULL;
    if (!method)
        return;
    PyObject *found = PyDict_GetItemString(pinsight_type_dict(type), method_name);
    if (Py_TYPE(found) == &PyMethodDescr_Type)
        return; /* the interpreter reports it */
    Py_INCREF(found);
    function = found;
    pinsight_method_redirect(method, METH_FASTCALL | METH_KEYWORDS,
                             (PyCFunction)(void (*)(void))run, &own_run);
}

#endif
