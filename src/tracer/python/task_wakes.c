/* The ends of tasks' waits; see task_wakes.h. */
#include "tracer/python/task_wakes.h"

#include "tracer/python/cpython/asyncio.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/trio.h"
#include "tracer/python/task_steps.h"
#include "tracer/python/tasks.h"

/* Called after the future's own function. */
static PyObject *done(PyObject *future, PyObject *result) {
    struct pinsight_python_thread *thread = result ? pinsight_task_thread() : NULL;
    if (thread)
        pinsight_task_wake(thread, future);
    return result;
}

/* Defines the redirection of a future's function, for each calling convention of the versions'
 * method tables. */
#define BEFORE(name)                                                                               \
    static PyCFunction own_##name;                                                                 \
                                                                                                   \
    static PyObject *name##_with_one(PyObject *self, PyObject *argument) {                         \
        return done(self, own_##name(self, argument));                                             \
    }                                                                                              \
                                                                                                   \
    static PyObject *name##_with_names(PyObject *self, PyObject *const *arguments,                 \
                                       Py_ssize_t count, PyObject *names) {                        \
        return done(self, ((_PyCFunctionFastWithKeywords)(void (*)(void))own_##name)(              \
                              self, arguments, count, names));                                     \
    }                                                                                              \
    BEFORE_WITH_CLASS(name)                                                                        \
                                                                                                   \
    static void redirect_##name(void) {                                                            \
        PyMethodDef *method = pinsight_asyncio_future_method(#name);                               \
        if (!method)                                                                               \
            return;                                                                                \
        REDIRECT_WITH_CLASS(name)                                                                  \
        if (method->ml_flags == METH_O || method->ml_flags == METH_NOARGS)                         \
            pinsight_method_redirect(method, method->ml_flags, name##_with_one, &own_##name);      \
        else                                                                                       \
            pinsight_method_redirect(method, METH_FASTCALL | METH_KEYWORDS,                        \
                                     (PyCFunction)(void (*)(void))name##_with_names, &own_##name); \
    }

#if PY_VERSION_HEX >= 0x03090000
#define BEFORE_WITH_CLASS(name)                                                                    \
    static PyObject *name##_with_class(PyObject *self, PyTypeObject *type,                         \
                                       PyObject *const *arguments, size_t count,                   \
                                       PyObject *names) {                                          \
        return done(self,                                                                          \
                    ((PyCMethod)(void (*)(void))own_##name)(self, type, arguments, count, names)); \
    }
#define REDIRECT_WITH_CLASS(name)                                                                  \
    if (pinsight_method_redirect(method, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,              \
                                 (PyCFunction)(void (*)(void))name##_with_class, &own_##name))     \
        return;
#else
#define BEFORE_WITH_CLASS(name)
#define REDIRECT_WITH_CLASS(name)
#endif

BEFORE(set_result)
BEFORE(set_exception)
BEFORE(cancel)

void pinsight_task_wakes_redirect(void) {
    if (own_set_result || !pinsight_asyncio_future_method("set_result"))
        return;
    redirect_set_result();
    redirect_set_exception();
    redirect_cancel();
}

void pinsight_task_scheduled(void) {
    PyObject *type, *value, *traceback;
    struct pinsight_python_thread *thread = pinsight_task_thread();
    if (!thread)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *coroutine = pinsight_trio_scheduled();
    if (coroutine)
        pinsight_task_woken(thread, coroutine);
    Py_XDECREF(coroutine);
    PyErr_Restore(type, value, traceback);
}
