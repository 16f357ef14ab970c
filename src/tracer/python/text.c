/* Texts of Python objects; see text.h. */
#include "tracer/python/text.h"

#include <string.h>

/* The most bytes of a name. Names of programs are unlimited, but an event must fit into a
 * sub-buffer. */
#define LONGEST_TEXT 2000

char *pinsight_utf8_copy(PyObject *text) {
    if (!text || !PyUnicode_Check(text) || PyUnicode_GetLength(text) == 0)
        return strdup("?");
    PyObject *bytes = NULL;
    Py_ssize_t length;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
    if (!utf8) {
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
        if (!bytes) {
            PyErr_Clear();
            return strdup("?");
        }
        utf8 = PyBytes_AS_STRING(bytes);
        length = PyBytes_GET_SIZE(bytes);
    }
    if (length > LONGEST_TEXT) {
        length = LONGEST_TEXT;
        while (length > 0 && ((unsigned char)utf8[length] & 0xc0) == 0x80)
            length--; /* not in the middle of a character */
    }
    char *copy = strndup(utf8, (size_t)length);
    Py_XDECREF(bytes);
    return copy;
}
