/*
 * The functions of types written in C that attributes call (`a.T`, `a.shape = (2, 3)`): the getters
 * and setters of a type's PyGetSetDef. The interpreter reports no call of them, so a function of
 * ours is put before each.
 *
 * The type's descriptors (PyGetSetDescrObject) lead to the PyGetSetDef, subclasses inherit the
 * descriptors, and the functions get a pointer of the definition's (closure). Therefore a
 * descriptor is led to a definition of ours, and nothing else changes.
 */
#ifndef PINSIGHT_CPYTHON_GETSETS_H
#define PINSIGHT_CPYTHON_GETSETS_H

#include "domains/python/versions.h"

struct pinsight_python_lexgion;

/* What is done with a property. */
enum pinsight_property_way {
    PINSIGHT_PROPERTY_GET,
    PINSIGHT_PROPERTY_SET,
    PINSIGHT_PROPERTY_DELETE,
    PINSIGHT_PROPERTY_WAYS
};

/* A property that was recorded once. Never freed. */
struct pinsight_property {
    PyGetSetDef ours;                /* the descriptor leads to it while it is recorded */
    PyGetSetDef *own;                /* the type's */
    PyGetSetDescrObject *descriptor; /* strong */
    struct pinsight_python_lexgion *callees[PINSIGHT_PROPERTY_WAYS]; /* once they are known */
    struct pinsight_property *next;
};

/* Put functions of ours before those of the properties that `type` itself has. Again takes over
 * those that are new. Returns how many there are, 0 where it has none that is written in C. Keeps a
 * pending exception. GIL held. */
int pinsight_getsets_put(PyTypeObject *type);

/* Take them away. Calls that are under way end through ours. GIL held. */
void pinsight_getsets_take(PyTypeObject *type);

#endif
