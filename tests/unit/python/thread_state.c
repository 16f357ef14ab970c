/* A module that asks for the thread state as the Python domain does; see thread_state.py. */
#include "tracer/python/cpython/current_frame.h"

static PyObject *is_found(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    pinsight_thread_state_find();
    return PyBool_FromLong(pinsight_thread_state_distance != 0);
}

static PyObject *agrees(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    ptrdiff_t distance = pinsight_thread_state_distance;
    return PyBool_FromLong(distance && pinsight_thread_state_at(distance) == PyThreadState_Get() &&
                           pinsight_current_frame_quick() == pinsight_current_frame());
}

static PyObject *mislead(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    pinsight_thread_state_distance *= 2; /* the last variable of a block is one word away */
    pinsight_thread_state_find();
    return PyBool_FromLong(pinsight_thread_state_distance == 0 && !pinsight_current_frame_quick());
}

static PyMethodDef methods[] = {
    {"is_found", is_found, METH_NOARGS, "Looks for the place; was it found?"},
    {"agrees", agrees, METH_NOARGS, "Is what is there the thread state that the API returns?"},
    {"mislead", mislead, METH_NOARGS, "Is a wrong place given up?"},
    {0},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "pinsight_thread_state",
                                    .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_pinsight_thread_state(void);
PyMODINIT_FUNC PyInit_pinsight_thread_state(void) {
    return PyModule_Create(&module);
}
