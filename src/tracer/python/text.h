/* Texts of Python objects. */
#ifndef PINSIGHT_PYTHON_TEXT_H
#define PINSIGHT_PYTHON_TEXT_H

#include "tracer/python/versions.h"

/*
 * Returns a Python string as UTF-8, which the caller frees. Lone surrogates become backslash
 * escapes. The text is cut at a length that fits into any buffer. Returns "?" if `text` is empty or
 * no string, because babeltrace2 2.0 shows an empty string field as the field before it. Leaves no
 * exception set.
 */
char *pinsight_utf8_copy(PyObject *text);

#endif
