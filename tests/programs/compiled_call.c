/* The module compiled_call: call(code, function, *arguments) calls the function, and reports that
 * `code` runs meanwhile, as modules of Cython with profile=True do. The code has no frame. */
#include <Python.h>

static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    static const uint8_t events[] = {PY_MONITORING_EVENT_PY_START, PY_MONITORING_EVENT_PY_RETURN,
                                     PY_MONITORING_EVENT_PY_UNWIND};
    PyMonitoringState states[3] = {{0}};
    uint64_t version = 0;
    (void)self;
    if (PyMonitoring_EnterScope(states, &version, events, 3) < 0 ||
        PyMonitoring_FirePyStartEvent(&states[0], arguments[0], 0) < 0)
        return NULL;
    PyObject *result = PyObject_Vectorcall(arguments[1], arguments + 2, (size_t)count - 2, NULL);
    if (result)
        PyMonitoring_FirePyReturnEvent(&states[1], arguments[0], 0, result);
    else
        PyMonitoring_FirePyUnwindEvent(&states[2], arguments[0], 0);
    PyMonitoring_ExitScope();
    return result;
}

/* throw(code, exception) raises it in a generator that goes on, which is reported while the
 * exception is set. Its end is reported twice, like that of a cpdef function. */
static PyObject *throw(PyObject * self, PyObject *const *arguments, Py_ssize_t count) {
    static const uint8_t events[] = {PY_MONITORING_EVENT_PY_RESUME, PY_MONITORING_EVENT_PY_UNWIND};
    PyMonitoringState states[2] = {{0}};
    uint64_t version = 0;
    (void)self;
    (void)count;
    if (PyMonitoring_EnterScope(states, &version, events, 2) < 0)
        return NULL;
    PyErr_SetNone(arguments[1]);
    PyMonitoring_FirePyResumeEvent(&states[0], arguments[0], 0);
    PyMonitoring_FirePyUnwindEvent(&states[1], arguments[0], 0);
    PyMonitoring_FirePyUnwindEvent(&states[1], arguments[0], 0);
    PyMonitoring_ExitScope();
    return NULL;
}

static PyMethodDef methods[] = {{"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL, NULL},
                                {"throw", (PyCFunction)(void (*)(void)) throw, METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "compiled_call",
                                        .m_methods = methods,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit_compiled_call(void) {
    return PyModuleDef_Init(&definition);
}
