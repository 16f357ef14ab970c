/* Spans of OpenTelemetry; see spans.h. */
#include "tracer/python/spans.h"

#include "tracer/core/user.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/first_argument.h"
#include "tracer/python/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const PyCodeObject *code, const char *name) {
    return PyUnicode_CompareWithASCIIString(code->co_name, name) == 0;
}

enum pinsight_span_code pinsight_span_code(const void *object, const char *file) {
    const PyCodeObject *code = object;
    static const char sdk[] = "/opentelemetry/sdk/trace/__init__.py";
    size_t length = strlen(file), end = sizeof sdk - 1;
    if (length < end || strcmp(file + length - end, sdk) != 0 || code->co_argcount < 1)
        return PINSIGHT_SPAN_NONE;
    return is_named(code, "start") ? PINSIGHT_SPAN_START
           : is_named(code, "end") ? PINSIGHT_SPAN_END
                                   : PINSIGHT_SPAN_NONE;
}

/* Returns the span's own number, a random one of 64 bits, or 0. Its context is a tuple of the
 * numbers of the trace and of the span. */
static uint64_t number_of(PyObject *span) {
    PyObject *context = pinsight_own_attribute(span, "_context");
    PyObject *number = context && PyTuple_Check(context) && PyTuple_GET_SIZE(context) > 1
                           ? PyTuple_GET_ITEM(context, 1)
                           : NULL;
    uint64_t value = number && PyLong_CheckExact(number) ? PyLong_AsUnsignedLongLong(number) : 0;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        value = 0;
    }
    Py_XDECREF(context);
    return value;
}

static void begins(PyObject *span, uint64_t number) {
    PyObject *name = pinsight_own_attribute(span, "_name");
    char *text = name && PyUnicode_Check(name) ? pinsight_utf8_copy(name) : NULL;
    if (text)
        pinsight_range_begin(number, text);
    free(text);
    Py_XDECREF(name);
}

void pinsight_span_called(enum pinsight_span_code what) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *span = pinsight_argument(0, "self");
    uint64_t number = span ? number_of(span) : 0;
    if (number && what == PINSIGHT_SPAN_START)
        begins(span, number);
    else if (number)
        pinsight_range_end(number);
    Py_XDECREF(span);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}
