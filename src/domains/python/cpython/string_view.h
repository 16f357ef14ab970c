/*
 * Strings of Python, read without the GIL: their characters do not change, and what the interpreter
 * keeps beside them is not read. Who reads sees to it that the string stays alive.
 */
#ifndef PINSIGHT_CPYTHON_STRING_VIEW_H
#define PINSIGHT_CPYTHON_STRING_VIEW_H

#include "domains/python/versions.h"

/* A string's characters as Python keeps them, which needs no GIL; none where it is no string. */
struct pinsight_string_view {
    const void *data;
    Py_ssize_t length; /* characters */
    int kind;          /* bytes of each */
};

/* Are they ASCII, and end with a zero byte? Then `view` is filled in. The text is a string. */
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

/* Its hash, which is there where the interpreter needed it before, else -1. */
static inline uint64_t pinsight_string_hash(PyObject *text) {
    return (uint64_t)((const PyASCIIObject *)text)->hash;
}

#endif
