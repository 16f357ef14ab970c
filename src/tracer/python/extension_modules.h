/* Notification of extension modules that the interpreter loads. */
#ifndef PINSIGHT_PYTHON_EXTENSION_MODULES_H
#define PINSIGHT_PYTHON_EXTENSION_MODULES_H

#include "tracer/python/versions.h"

/*
 * Calls `listener` for each module in C that is created, and again after the module's execution. A
 * module with multi-phase initialisation has no types before its execution. The listener runs in
 * the main interpreter, with the GIL and without a pending exception, and must leave none. Several
 * listeners are possible, and none is removed. A repeated call does nothing. Holds the GIL.
 */
void pinsight_extension_modules_listen(void (*listener)(PyObject *module));

#endif
