/* The redirected properties of types; see getsets.h. */
#include "tracer/python/cpython/getsets.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/operators.h"

#include <stdlib.h>
#include <string.h>

/* All properties. Under the GIL. */
static struct pinsight_property *properties;

/* Calls the type's own function between a begin and an end. */
#define CALL(result_type, failed, way, call)                                                       \
    struct pinsight_operator_call called;                                                          \
    if (!pinsight_property_begin(property, &called, way))                                          \
        return call;                                                                               \
    result_type result = call;                                                                     \
    pinsight_operator_end(&called, result == (failed));                                            \
    return result

static PyObject *get(PyObject *object, void *closure) {
    struct pinsight_property *property = closure;
    CALL(PyObject *, NULL, PINSIGHT_PROPERTY_GET,
         property->own->get(object, property->own->closure));
}

static int set(PyObject *object, PyObject *value, void *closure) {
    struct pinsight_property *property = closure;
    CALL(int, -1, value ? PINSIGHT_PROPERTY_SET : PINSIGHT_PROPERTY_DELETE,
         property->own->set(object, value, property->own->closure));
}

/* Returns the property of a descriptor, which points to its own definition or to ours. */
static struct pinsight_property *find(const PyGetSetDescrObject *descriptor) {
    struct pinsight_property *property = properties;
    while (property && property->descriptor != descriptor)
        property = property->next;
    return property;
}

static struct pinsight_property *make(PyGetSetDescrObject *descriptor) {
    struct pinsight_property *property = calloc(1, sizeof *property);
    if (!property)
        return NULL;
    PyGetSetDef *own = descriptor->d_getset;
    property->own = own;
    property->ours = *own;
    property->ours.closure = property;
    property->ours.get = own->get ? get : NULL;
    property->ours.set = own->set ? set : NULL;
    Py_INCREF(descriptor);
    property->descriptor = descriptor;
    property->next = properties;
    properties = property;
    return property;
}

/* Returns whether the interpreter gives the property to every class. */
static bool is_of_every_class(const PyGetSetDescrObject *descriptor) {
    const char *name = descriptor->d_getset->name;
    return (PyDescr_TYPE(descriptor)->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
           (strcmp(name, "__dict__") == 0 || strcmp(name, "__weakref__") == 0);
}

/* Calls `what` with each property that a type itself has. Returns their number. */
static int each(PyTypeObject *type, void (*what)(PyGetSetDescrObject *descriptor)) {
    PyObject *dict = pinsight_type_dict(type);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int count = 0;
    while (dict && PyDict_Next(dict, &at, &key, &value)) {
        if (Py_TYPE(value) != &PyGetSetDescr_Type || PyDescr_TYPE(value) != type ||
            is_of_every_class((PyGetSetDescrObject *)value))
            continue;
        what((PyGetSetDescrObject *)value);
        count++;
    }
    return count;
}

static void put(PyGetSetDescrObject *descriptor) {
    struct pinsight_property *property = find(descriptor);
    if (!property)
        property = make(descriptor);
    if (!property || descriptor->d_getset != property->own)
        return;
    property->ours.doc = property->own->doc;
    descriptor->d_getset = &property->ours;
}

static void take(PyGetSetDescrObject *descriptor) {
    struct pinsight_property *property = find(descriptor);
    if (!property || descriptor->d_getset != &property->ours)
        return;
    descriptor->d_getset = property->own;
    if (property->own->doc != property->ours.doc) /* NumPy writes its documentation there */
        property->own->doc = property->ours.doc;
}

int pinsight_getsets_put(PyTypeObject *type) {
    return each(type, put);
}

void pinsight_getsets_take(PyTypeObject *type) {
    each(type, take);
}
