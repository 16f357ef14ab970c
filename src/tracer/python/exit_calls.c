/* Calls that do not return; see exit_calls.h. */
#include "tracer/python/exit_calls.h"

#include "tracer/python/cpython/method_table.h"
#include "tracer/python/domain.h"
#include "tracer/python/modules.h"
#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

typedef PyObject *(*fast)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
typedef PyObject *(*fast_with_keywords)(PyObject *self, PyObject *const *arguments,
                                        Py_ssize_t count, PyObject *keywords);

static PyCFunction own_exit, own_execv, own_execve;

/* Does nothing in another interpreter, which is not observed and may have its own GIL. */
static void before(void) {
    const struct pinsight_python_thread *thread =
        pinsight_thread_domain(pinsight_python_domain.slot);
    if (pinsight_python.active &&
        (!pinsight_python.sees_c_calls || (thread && thread->import_frame)) &&
        pinsight_in_main_interpreter())
        pinsight_python_leaving();
}

static PyObject *leave_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                            PyObject *keywords) {
    before();
    return ((fast_with_keywords)(void (*)(void))own_exit)(self, arguments, count, keywords);
}

static PyObject *leave_execv(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    before();
    return ((fast)(void (*)(void))own_execv)(self, arguments, count);
}

static PyObject *leave_execve(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *keywords) {
    before();
    return ((fast_with_keywords)(void (*)(void))own_execve)(self, arguments, count, keywords);
}

static void redirect(PyObject *module, const char *name, int flags, PyCFunction to,
                     PyCFunction *own) {
    PyObject *function = PyDict_GetItemString(PyModule_GetDict(module), name);
    pinsight_function_redirect(function, flags, to, own);
}

void pinsight_exit_calls_start(void) {
    if (own_exit)
        return;
    PyObject *module = pinsight_module_there("posix");
    if (!module)
        return;
    redirect(module, "_exit", METH_FASTCALL | METH_KEYWORDS,
             (PyCFunction)(void (*)(void))leave_exit, &own_exit);
    redirect(module, "execv", METH_FASTCALL, (PyCFunction)(void (*)(void))leave_execv, &own_execv);
    redirect(module, "execve", METH_FASTCALL | METH_KEYWORDS,
             (PyCFunction)(void (*)(void))leave_execve, &own_execve);
}
