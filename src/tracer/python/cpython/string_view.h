/*
 * Strings of Python, read without the GIL. Their characters never change, and the interpreter's
 * caches beside them are not read. The caller keeps the string alive.
 */
#ifndef PINSIGHT_CPYTHON_STRING_VIEW_H
#define PINSIGHT_CPYTHON_STRING_VIEW_H

#include "tracer/python/versions.h"

/* The characters of a string in Python's own form. It has none if the object is no string. Needs no
 * GIL. */
struct pinsight_string_view {
    const void *data;
    Py_ssize_t length; /* in characters */
    int kind;          /* bytes of a character */
};

/* Returns whether a string is ASCII and ends with a zero byte, and then fills in `view`. `text` is
 * a string. */
static inline bool pinsight_string_is_ascii(PyObject *text, struct pinsight_string_view *view) {
    if (PINSIGHT_UNLIKELY(!PyUnicode_IS_COMPACT_ASCII(text)))
        return false;
    *view = (struct pinsight_string_view){(const PyASCIIObject *)text + 1,
                                          PyUnicode_GET_LENGTH(text), 1};
    return true;
}

static inline struct pinsight_string_view pinsight_string_view_of(PyObject *text) {
    struct pinsight_string_view view = {.data = "", .kind = 1};
    if (!text || !PyUnicode_Check(text))
        return view;
#if PY_VERSION_HEX < 0x030c0000
    if (!PyUnicode_IS_READY(text))
        return view;
#endif
    if (PINSIGHT_LIKELY(pinsight_string_is_ascii(text, &view)))
        return view;
    view.data = PyUnicode_DATA(text);
    view.length = PyUnicode_GET_LENGTH(text);
    view.kind = (int)PyUnicode_KIND(text);
    return view;
}

static inline size_t pinsight_string_size(const struct pinsight_string_view *view) {
    return (size_t)view->length * (size_t)view->kind;
}

/* Returns the hash of a string if the interpreter has computed it, or else -1. */
static inline uint64_t pinsight_string_hash(PyObject *text) {
    return (uint64_t)((const PyASCIIObject *)text)->hash;
}

#endif
