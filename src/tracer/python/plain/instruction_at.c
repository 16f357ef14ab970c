/* The current instruction of a frame; see instruction_at.h. */
#include "tracer/python/plain/instruction_at.h"

#if PINSIGHT_IS_PLAIN

#if __has_include(<opcode_ids.h>)
#include <opcode_ids.h>
#else
#include <opcode.h>
#endif

PyCodeObject *pinsight_instruction_code(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x03090000
    PyCodeObject *code = PyFrame_GetCode(frame);
#else
    PyCodeObject *code = (PyCodeObject *)PyObject_GetAttrString((PyObject *)frame, "f_code");
#endif
    Py_XDECREF(code); /* the frame keeps it */
    return code;
}

long pinsight_instruction_offset(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return PyFrame_GetLasti(frame);
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *number = PyObject_GetAttrString((PyObject *)frame, "f_lasti");
    long offset = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    PyErr_Restore(type, value, traceback);
    return offset;
#endif
}

/* Returns the code as bytes, a new reference, or NULL. */
static PyObject *bytes_of(const PyCodeObject *code) {
    PyObject *bytes = PyObject_GetAttrString((PyObject *)(uintptr_t)code, "co_code");
    if (bytes && !PyBytes_Check(bytes))
        Py_CLEAR(bytes);
    return bytes;
}

int pinsight_instruction_at(const PyCodeObject *code, long offset, int *argument) {
    PyObject *type, *value, *traceback;
    int instruction = -1;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *bytes = bytes_of(code);
    if (bytes && offset >= 0 && offset + 1 < PyBytes_GET_SIZE(bytes)) {
        const unsigned char *at = (const unsigned char *)PyBytes_AS_STRING(bytes) + offset;
        instruction = at[0];
        *argument = at[1];
    }
    Py_XDECREF(bytes);
    PyErr_Restore(type, value, traceback);
    return instruction;
}

#ifdef RESUME
long pinsight_instruction_first(const PyCodeObject *code) {
    PyObject *type, *value, *traceback;
    long first = 0;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *bytes = bytes_of(code);
    const unsigned char *at = bytes ? (const unsigned char *)PyBytes_AS_STRING(bytes) : NULL;
    while (bytes && first + 1 < PyBytes_GET_SIZE(bytes) && at[first] != RESUME)
        first += 2;
    Py_XDECREF(bytes);
    PyErr_Restore(type, value, traceback);
    return first;
}
#elif PINSIGHT_HAS_MONITORING
long pinsight_instruction_first(const PyCodeObject *code) {
    (void)code;
    return 0;
}
#endif

#endif
