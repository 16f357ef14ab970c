/* signal.signal() of the program; see signal.h. */
#include "tracer/python/signal.h"

#include "tracer/core/signals.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/modules.h"

typedef PyObject *(*fast)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

static PyCFunction own_signal;

static PyObject *on_signal(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *result = ((fast)(void (*)(void))own_signal)(self, arguments, count);
    pinsight_signals_take();
    return result;
}

void pinsight_signal_start(void) {
    PyObject *module =
        own_signal || !pinsight_signals_wanted() ? NULL : pinsight_module_there("_signal");
    PyObject *function = module ? PyDict_GetItemString(PyModule_GetDict(module), "signal") : NULL;
    pinsight_function_redirect(function, METH_FASTCALL, (PyCFunction)(void (*)(void))on_signal,
                               &own_signal);
}
