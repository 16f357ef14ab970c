/* The module _lapack, with a routine as f2py makes them: an object of the static type "fortran",
 * which has no dict, and gives its name on request. */
#include <Python.h>
#include <string.h>

static PyObject *getattr(PyObject *object, char *name) {
    (void)object;
    if (strcmp(name, "__name__") == 0)
        return PyUnicode_FromString("function dgesv");
    PyErr_SetString(PyExc_AttributeError, name);
    return NULL;
}

static PyObject *call(PyObject *object, PyObject *arguments, PyObject *words) {
    (void)object;
    (void)arguments;
    (void)words;
    Py_RETURN_NONE;
}

static PyTypeObject fortran = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "fortran",
                               .tp_basicsize = sizeof(PyObject), .tp_getattr = getattr,
                               .tp_call = call, .tp_flags = Py_TPFLAGS_DEFAULT};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "_lapack", .m_size = -1};

PyMODINIT_FUNC PyInit__lapack(void) {
    PyObject *module = PyType_Ready(&fortran) == 0 ? PyModule_Create(&definition) : NULL;
    PyObject *routine = module ? _PyObject_New(&fortran) : NULL;
    if (routine && PyModule_AddObject(module, "dgesv", routine) != 0)
        return NULL;
    return module;
}
