/* Texts of Python objects. */
#ifndef PINSIGHT_PYTHON_TEXT_H
#define PINSIGHT_PYTHON_TEXT_H

#include "domains/python/versions.h"

/*
 * A Python string as UTF-8 that the caller frees: lone surrogates as backslash escapes, cut at a
 * length that any buffer takes. "?" where `text` is empty or no string: babeltrace2 2.0 shows an
 * empty string field as the one before it. Never leaves an exception set.
 */
char *pinsight_utf8_copy(PyObject *text);

#endif
