/* Being told of extension modules that the interpreter loads. */
#ifndef PINSIGHT_PYTHON_EXTENSION_MODULES_H
#define PINSIGHT_PYTHON_EXTENSION_MODULES_H

#include "domains/python/versions.h"

/*
 * From now on `tell` is called with each extension module that is created (one of several phases
 * has no types then), and again when it was executed; for good. In the main interpreter alone,
 * with the GIL and no pending exception; must leave none. Again with the same does nothing. Holds
 * the GIL.
 */
void pinsight_extension_modules_listen(void (*listener)(PyObject *module));

#endif
