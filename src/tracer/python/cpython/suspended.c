/* Coroutines that do not run; see suspended.h. */
#include "tracer/python/cpython/suspended.h"

#include "tracer/python/callable_name.h"

#include <string.h>

#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_frame.h>
#endif

/* Returns the object if it is one of the three, which begin with the same fields. */
static PyGenObject *generator_of(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    bool is_one = type == &PyCoro_Type || type == &PyGen_Type || type == &PyAsyncGen_Type;
    return is_one ? (PyGenObject *)object : NULL;
}

const pinsight_frame *pinsight_suspended_frame(PyObject *object) {
    PyGenObject *generator = generator_of(object);
    if (!generator)
        return NULL;
#if PY_VERSION_HEX >= 0x030e0000
    return FRAME_STATE_FINISHED(generator->gi_frame_state) ? NULL : &generator->gi_iframe;
#elif PY_VERSION_HEX >= 0x030b0000
    if (generator->gi_frame_state >= FRAME_COMPLETED)
        return NULL;
    return (const pinsight_frame *)generator->gi_iframe;
#else
    return generator->gi_frame;
#endif
}

PyObject *pinsight_suspended_name(PyObject *object) {
    PyGenObject *generator = generator_of(object);
    return generator ? generator->gi_qualname : NULL;
}

/* Returns the getter by which Python programs read the object that one waits for. */
static const PyGetSetDef *getter_of(PyTypeObject *type, const char *name,
                                    const PyGetSetDef **known) {
    PyObject *dict = *known ? NULL : pinsight_type_dict(type);
    PyObject *descriptor = dict ? PyDict_GetItemString(dict, name) : NULL;
    if (descriptor && Py_TYPE(descriptor) == &PyGetSetDescr_Type)
        *known = ((PyGetSetDescrObject *)descriptor)->d_getset;
    return *known;
}

static const PyGetSetDef *getter_for(PyTypeObject *type) {
    static const PyGetSetDef *of_coroutine, *of_generator, *of_asynchronous;
    if (type == &PyCoro_Type)
        return getter_of(type, "cr_await", &of_coroutine);
    if (type == &PyGen_Type)
        return getter_of(type, "gi_yieldfrom", &of_generator);
    return getter_of(type, "ag_await", &of_asynchronous);
}

/* Returns the object behind a wrapper of a coroutine, or of a step of an asynchronous generator,
 * which has it as the first field. Not every version has a name for the wrapper's type. */
static PyObject *behind(PyObject *object) {
    static const char *const names[] = {"coroutine_wrapper", "async_generator_asend",
                                        "async_generator_athrow"};
    static const PyTypeObject *known[sizeof names / sizeof *names];
    static const PyTypeObject *other; /* the last type that is none of them */
    const PyTypeObject *type = Py_TYPE(object);
    if (type == other || type == &PyCoro_Type || type == &PyGen_Type)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!known[i] && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
            !strcmp(type->tp_name, names[i]))
            known[i] = type;
        if (known[i] == type)
            return *(PyObject **)(object + 1);
    }
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE))
        other = type;
    return NULL;
}

PyObject *pinsight_suspended_on(PyObject *object) {
    const PyGetSetDef *getter = generator_of(object) ? getter_for(Py_TYPE(object)) : NULL;
    PyObject *next = getter ? getter->get(object, getter->closure) : NULL;
    PyObject *inner = next ? behind(next) : NULL;
    if (!next)
        PyErr_Clear();
    if (inner) {
        Py_INCREF(inner);
        Py_DECREF(next);
        next = inner;
    }
    if (next == Py_None)
        Py_CLEAR(next);
    return next;
}
