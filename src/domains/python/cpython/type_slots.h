/* Slots of a type and of its subclasses that lead elsewhere. All hold the GIL, and set no
 * exception. */
#ifndef PINSIGHT_CPYTHON_TYPE_SLOTS_H
#define PINSIGHT_CPYTHON_TYPE_SLOTS_H

#include "domains/python/versions.h"

#include <stddef.h>

/* The slot at this offset of PyTypeObject gets `to` in the type and all its subclasses that have
 * `from` there. */
void pinsight_type_redirect(PyTypeObject *type, size_t offset, void *from, void *to);

/* `init` initialises instances from now on, also those of subclasses, and where `__init__` is
 * called by its name. *own gets what did so before, which it has to call. */
void pinsight_type_redirect_init(PyTypeObject *type, initproc init, initproc *own);

#endif
