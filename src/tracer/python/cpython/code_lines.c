/* The lines of a code object's instructions; see code_lines.h. */
#include "tracer/python/cpython/code_lines.h"

#include <stdlib.h>

#if PINSIGHT_IS_PLAIN

#define INSTRUCTION 2 /* in bytes */

/* Looks up the line of each instruction. */
static void ask(PyCodeObject *code, int32_t *lines, size_t all) {
    for (size_t i = 0; i < all; i++) {
        int line = PyCode_Addr2Line(code, (int)(i * INSTRUCTION));
        lines[i] = line > 0 ? line : 0;
    }
}

#if PY_VERSION_HEX >= 0x030a0000
/* Takes a range of co_lines(): first and end in bytes, and the line or None. */
static bool take_range(PyObject *range, int32_t *lines, size_t all) {
    Py_ssize_t begin, end;
    PyObject *line;
    if (!PyTuple_Check(range) || !PyArg_ParseTuple(range, "nnO", &begin, &end, &line))
        return false;
    long number = line == Py_None ? 0 : PyLong_AsLong(line);
    for (Py_ssize_t at = begin; at >= 0 && at < end && (size_t)at / INSTRUCTION < all;
         at += INSTRUCTION)
        lines[at / INSTRUCTION] = number > 0 ? (int32_t)number : 0;
    return !PyErr_Occurred();
}

/* Reads co_lines() in one pass. Returns false on failure. */
static bool read_ranges(PyCodeObject *code, int32_t *lines, size_t all) {
    PyObject *made = PyObject_CallMethod((PyObject *)code, "co_lines", NULL);
    PyObject *ranges = made ? PyObject_GetIter(made) : NULL, *range;
    bool good = ranges != NULL;
    while (good && (range = PyIter_Next(ranges))) {
        good = take_range(range, lines, all);
        Py_DECREF(range);
    }
    Py_XDECREF(ranges);
    Py_XDECREF(made);
    return good && !PyErr_Occurred();
}
#endif

int32_t *pinsight_code_lines_new(const PyCodeObject *code, uint32_t *count) {
    PyCodeObject *asked = (PyCodeObject *)(uintptr_t)code;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *bytes = PyObject_GetAttrString((PyObject *)asked, "co_code");
    size_t all = bytes && PyBytes_Check(bytes) ? (size_t)PyBytes_GET_SIZE(bytes) / INSTRUCTION : 0;
    int32_t *lines = all < UINT32_MAX ? calloc(all ? all : 1, sizeof *lines) : NULL;
#if PY_VERSION_HEX >= 0x030a0000
    bool known = !lines || read_ranges(asked, lines, all);
#else
    bool known = !lines;
#endif
    if (!known)
        ask(asked, lines, all);
    *count = (uint32_t)all;
    Py_XDECREF(bytes);
    PyErr_Restore(type, value, traceback);
    return lines;
}

#else

#if PY_VERSION_HEX >= 0x030b0000
#define instructions(code) ((size_t)Py_SIZE(code))
#else
#define instructions(code) ((size_t)PyBytes_GET_SIZE((code)->co_code) / PINSIGHT_INSTRUCTION)
#endif

int32_t *pinsight_code_lines_new(const PyCodeObject *code, uint32_t *count) {
    struct pinsight_line_range range;
    size_t all = instructions(code);
    int32_t *lines = all < UINT32_MAX ? malloc((all ? all : 1) * sizeof *lines) : NULL;
    if (!lines)
        return NULL;
    pinsight_code_lines_begin(&range, code);
    pinsight_line_fill(&range, PINSIGHT_CODE_NEXT_RANGE, lines, all);
    *count = (uint32_t)all;
    return lines;
}

#endif
