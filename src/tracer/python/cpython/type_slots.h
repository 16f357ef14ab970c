/* Redirects slots of a type and of its subclasses. All functions hold the GIL and set no exception.
 */
#ifndef PINSIGHT_CPYTHON_TYPE_SLOTS_H
#define PINSIGHT_CPYTHON_TYPE_SLOTS_H

#include "tracer/python/versions.h"

#include <stddef.h>

/* Sets the slot at an offset of PyTypeObject to `to`, in the type and in all subclasses that have
 * `from` there. */
void pinsight_type_redirect(PyTypeObject *type, size_t offset, void *from, void *to);

/* Redirects the initialisation of instances to `init`, also of subclasses, and of calls of
 * `__init__` by name. *own gets the original function, which `init` must call. */
void pinsight_type_redirect_init(PyTypeObject *type, initproc init, initproc *own);

#endif
