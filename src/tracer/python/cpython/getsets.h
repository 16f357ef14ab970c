/*
 * The functions of types written in C that attribute accesses call (`a.T`, `a.shape = (2, 3)`): the
 * getters and setters of a type's PyGetSetDef. The interpreter reports no call of them, so each is
 * redirected.
 *
 * The type's descriptors (PyGetSetDescrObject) point to the PyGetSetDef. Subclasses inherit the
 * descriptors, and the functions get a pointer from the definition (closure). Therefore a
 * descriptor is pointed to a definition of PInsight's, and nothing else changes.
 */
#ifndef PINSIGHT_CPYTHON_GETSETS_H
#define PINSIGHT_CPYTHON_GETSETS_H

#include "tracer/python/versions.h"

struct pinsight_python_lexgion;

/* The kinds of access to a property. */
enum pinsight_property_way {
    PINSIGHT_PROPERTY_GET,
    PINSIGHT_PROPERTY_SET,
    PINSIGHT_PROPERTY_DELETE,
    PINSIGHT_PROPERTY_WAYS
};

/* A property that has been recorded. It is never freed. */
struct pinsight_property {
    /* The descriptor points to it while the property is recorded. */
    PyGetSetDef ours;
    PyGetSetDef *own;                                                /* the type's definition */
    PyGetSetDescrObject *descriptor;                                 /* strong reference */
    struct pinsight_python_lexgion *callees[PINSIGHT_PROPERTY_WAYS]; /* NULL until first used */
    struct pinsight_property *next;
};

/* Redirects the properties that `type` itself has. A repeated call handles new ones. Returns their
 * number, or 0 if none is written in C. Keeps a pending exception. Holds the GIL. */
int pinsight_getsets_put(PyTypeObject *type);

/* Restores the properties. Open calls still end through the redirected functions. Holds the GIL. */
void pinsight_getsets_take(PyTypeObject *type);

#endif
