/*
 * Names of methods that a library generates as source text for each class: dataclasses, namedtuple,
 * attrs. Their code objects have one name for all classes, such as __create_fn__.<locals>.__init__,
 * and no file.
 */
#ifndef PINSIGHT_PYTHON_GENERATED_NAME_H
#define PINSIGHT_PYTHON_GENERATED_NAME_H

#include "tracer/python/versions.h"

/*
 * Returns the name of the running function with its class ("Point.__init__"), which the caller
 * frees. Returns NULL if `code` comes from a file, is not the running function's, or is no method
 * of the class of its first argument. Called once for a code object. Runs no code of the program.
 * Holds the GIL. There is no pending exception.
 */
char *pinsight_generated_name(PyCodeObject *code);

#endif
