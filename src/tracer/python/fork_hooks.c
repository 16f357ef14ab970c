/* Hooks around the interpreter's forks; see fork_hooks.h. */
#include "tracer/python/fork_hooks.h"

#include "tracer/core/fork_signals.h"
#include "tracer/core/signals.h"
#include "tracer/python/modules.h"

#include <stdlib.h>

static void (*call)(void);
/* Signals are blocked from before the fork, after all other hooks, until the interpreter is ready
 * again, before all other hooks. */
static __thread struct pinsight_fork_signals *signals;

static void release(void (*how)(struct pinsight_fork_signals *signals)) {
    if (signals)
        how(signals);
    free(signals);
    signals = NULL;
}

static PyObject *before_fork(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    if (!signals)
        signals = calloc(1, sizeof *signals);
    if (signals && pinsight_signals_may_wait())
        pinsight_fork_signals_block(signals);
    Py_RETURN_NONE;
}

static PyObject *in_parent(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    release(pinsight_fork_signals_unblock);
    Py_RETURN_NONE;
}

static PyObject *in_child(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    call();
    release(pinsight_fork_signals_unblock_child);
    Py_RETURN_NONE;
}

static PyMethodDef before_fork_method = {"pinsight_before_fork", before_fork, METH_NOARGS, NULL};
static PyMethodDef in_parent_method = {"pinsight_in_parent", in_parent, METH_NOARGS, NULL};
static PyMethodDef in_child_method = {"pinsight_in_child", in_child, METH_NOARGS, NULL};

/* Returns {"before": ..., "after_in_parent": ..., "after_in_child": ...}, a new reference. */
static PyObject *hooks(void) {
    PyObject *before = PyCFunction_New(&before_fork_method, NULL);
    PyObject *parent = PyCFunction_New(&in_parent_method, NULL);
    PyObject *child = PyCFunction_New(&in_child_method, NULL);
    PyObject *keywords = before && parent && child
                             ? Py_BuildValue("{s:O,s:O,s:O}", "before", before, "after_in_parent",
                                             parent, "after_in_child", child)
                             : NULL;
    Py_XDECREF(before);
    Py_XDECREF(parent);
    Py_XDECREF(child);
    return keywords;
}

int pinsight_fork_hooks_start(void (*begins)(void)) {
    if (call)
        return 0;
    PyObject *module = pinsight_module_there("posix"); /* borrowed */
    PyObject *function =
        module ? PyDict_GetItemString(PyModule_GetDict(module), "register_at_fork") : NULL;
    if (!function)
        return 0; /* there are no forks */
    int status = -1;
    call = begins; /* set before another thread may fork */
    PyObject *none = PyTuple_New(0);
    PyObject *keywords = hooks();
    PyObject *result = none && keywords ? PyObject_Call(function, none, keywords) : NULL;
    if (result)
        status = 0;
    else
        call = NULL;
    Py_XDECREF(result);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    return status;
}
