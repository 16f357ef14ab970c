/* The redirected slots of types; see slots.h. */
#include "tracer/python/cpython/slots.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/trampolines.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define NUMBER(member, does, its_form, defers, ...)                                                \
    {                                                                                              \
        .table = offsetof(PyTypeObject, tp_as_number), .at = offsetof(PyNumberMethods, member),    \
        .operation = PINSIGHT_OPERATION_##does, .form = PINSIGHT_FORM_##its_form,                  \
        .may_defer = defers, .names = {                                                            \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define BINARY(member, does, name)                                                                 \
    NUMBER(nb_##member, does, BINARY, true, "__" name "__", "__r" name "__"),                      \
        NUMBER(nb_inplace_##member, does, BINARY, false, "__i" name "__")

static const struct pinsight_operator_slot slots[] = {
    BINARY(add, ADD, "add"),
    BINARY(subtract, SUBTRACT, "sub"),
    BINARY(multiply, MULTIPLY, "mul"),
    BINARY(remainder, REMAINDER, "mod"),
    BINARY(lshift, LSHIFT, "lshift"),
    BINARY(rshift, RSHIFT, "rshift"),
    BINARY(and, AND, "and"),
    BINARY(xor, XOR, "xor"),
    BINARY(or, OR, "or"),
    BINARY(floor_divide, FLOOR_DIVIDE, "floordiv"),
    BINARY(true_divide, TRUE_DIVIDE, "truediv"),
    BINARY(matrix_multiply, MATRIX_MULTIPLY, "matmul"),
    NUMBER(nb_power, POWER, TERNARY, true, "__pow__", "__rpow__"),
    NUMBER(nb_inplace_power, POWER, TERNARY, false, "__ipow__"),
    NUMBER(nb_negative, NEGATIVE, UNARY, false, "__neg__"),
    NUMBER(nb_positive, POSITIVE, UNARY, false, "__pos__"),
    NUMBER(nb_invert, INVERT, UNARY, false, "__invert__"),
    {.table = offsetof(PyTypeObject, tp_as_mapping),
     .at = offsetof(PyMappingMethods, mp_subscript),
     .operation = PINSIGHT_OPERATION_SUBSCRIPT,
     .form = PINSIGHT_FORM_BINARY,
     .names = {"__getitem__"}},
    {.table = offsetof(PyTypeObject, tp_as_mapping),
     .at = offsetof(PyMappingMethods, mp_ass_subscript),
     .operation = PINSIGHT_OPERATION_STORE,
     .form = PINSIGHT_FORM_ASSIGN,
     .names = {"__setitem__", "__delitem__"}},
    {.table = offsetof(PyTypeObject, tp_as_sequence),
     .at = offsetof(PySequenceMethods, sq_contains),
     .operation = PINSIGHT_OPERATION_CONTAINS,
     .form = PINSIGHT_FORM_CONTAINS,
     .names = {"__contains__"}},
    /* In the order of Py_LT to Py_GE. */
    {.at = offsetof(PyTypeObject, tp_richcompare),
     .operation = PINSIGHT_OPERATION_COMPARE,
     .form = PINSIGHT_FORM_COMPARE,
     .names = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"}},
};
#define SLOTS (sizeof slots / sizeof *slots)

/* All operators, by slot. Under the GIL. */
static struct pinsight_operator *operators[SLOTS];
static bool is_full;

bool pinsight_slots_are_full(void) {
    return is_full;
}

/* Returns the place of a slot in a type, or NULL if the type has none. */
static void **place_of(PyTypeObject *type, const struct pinsight_operator_slot *slot) {
    char *base = (char *)type;
    if (slot->table && !(base = *(char **)(base + slot->table)))
        return NULL;
    return (void **)(base + slot->at);
}

/* Returns whether memory is writable, by a write through the kernel, which refuses if it is not. */
static bool is_writable(void **place) {
    void *value = *place;
    struct iovec from = {&value, sizeof value}, into = {place, sizeof value};
    return process_vm_writev(getpid(), &from, 1, &into, 1, 0) == (ssize_t)sizeof value;
}

/* Returns whether all places of a type's slots are writable. They are in few pieces of memory. */
static bool are_writable(PyTypeObject *type) {
    static const size_t tables[] = {offsetof(PyTypeObject, tp_as_number),
                                    offsetof(PyTypeObject, tp_as_mapping),
                                    offsetof(PyTypeObject, tp_as_sequence)};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        void **table = *(void ***)((char *)type + tables[i]);
        if (table && !is_writable(table))
            return false;
    }
    return is_writable((void **)&type->tp_richcompare);
}

/* Returns a type's own descriptor with a name for a function, borrowed, or NULL. */
static PyObject *descriptor_of(PyTypeObject *type, const char *name, const void *function) {
    PyObject *dict = name ? pinsight_type_dict(type) : NULL;
    PyObject *value = dict ? PyDict_GetItemString(dict, name) : NULL;
    bool is_its = value && Py_TYPE(value) == &PyWrapperDescr_Type &&
                  ((PyWrapperDescrObject *)value)->d_wrapped == function;
    return is_its ? value : NULL;
}

/* Makes the operator of a type's own function, which is neither inherited nor the interpreter's for
 * Python methods. */
static struct pinsight_operator *make(PyTypeObject *type, size_t number, void *own) {
    const struct pinsight_operator_slot *slot = &slots[number];
    if (!descriptor_of(type, slot->names[0], own))
        return NULL;
    struct pinsight_operator *op = pinsight_trampoline_new(slot->form);
    is_full = is_full || !op;
    if (!op)
        return NULL;
    op->own = own;
    op->slot = slot;
    Py_INCREF(type);
    op->type = type;
    for (unsigned way = 0; way < PINSIGHT_OPERATOR_WAYS; way++) {
        op->descriptors[way] = descriptor_of(type, slot->names[way], own);
        Py_XINCREF(op->descriptors[way]);
    }
    op->next = operators[number];
    operators[number] = op;
    return op;
}

/* Returns the operator of a function or trampoline, or NULL. */
static struct pinsight_operator *find(size_t number, const void *function) {
    struct pinsight_operator *op = operators[number];
    while (op && op->own != function && op->trampoline != function)
        op = op->next;
    return op;
}

/* Returns whether a type has `__array_ufunc__ = None` or, without that member, a priority of its
 * own. */
static bool defers(PyTypeObject *type, PyTypeObject *base) {
    static PyObject *ufunc, *priority;
    if (!ufunc)
        ufunc = PyUnicode_InternFromString("__array_ufunc__");
    if (!priority)
        priority = PyUnicode_InternFromString("__array_priority__");
    if (!ufunc || !priority)
        return false;
    PyObject *own = _PyType_Lookup(type, ufunc); /* borrowed, like the next */
    return own ? own == Py_None : _PyType_Lookup(type, priority) != _PyType_Lookup(base, priority);
}

static void redirect_descriptors(const struct pinsight_operator *op, void *to) {
    for (unsigned way = 0; way < PINSIGHT_OPERATOR_WAYS; way++) {
        if (op->descriptors[way])
            ((PyWrapperDescrObject *)op->descriptors[way])->d_wrapped = to;
    }
}

static int put(PyTypeObject *type) {
    int count = 0;
    bool writable = false;
    for (size_t number = 0; number < SLOTS; number++) {
        void **place = place_of(type, &slots[number]);
        struct pinsight_operator *op = place && *place ? find(number, *place) : NULL;
        if (place && *place && !op)
            op = make(type, number, *place);
        if (!op || (op->slot->may_defer && type != op->type && defers(type, op->type)))
            continue;
        count += op->type == type;
        if (*place == op->trampoline)
            continue;
        if (!writable && !(writable = are_writable(type)))
            return -1;
        *place = op->trampoline;
        if (op->type == type)
            redirect_descriptors(op, op->trampoline);
    }
    return count;
}

static int take(PyTypeObject *type) {
    for (size_t number = 0; number < SLOTS; number++) {
        void **place = place_of(type, &slots[number]);
        struct pinsight_operator *op = place && *place ? find(number, *place) : NULL;
        if (!op)
            continue;
        *place = op->own;
        if (op->type == type)
            redirect_descriptors(op, op->own);
    }
    return 0;
}

/* Calls `each` with a type and all its subclasses. Returns the result for the type. */
static int walk(PyTypeObject *type, int (*each)(PyTypeObject *)) {
    int result = each(type);
    PyObject *subclasses =
        PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", (PyObject *)type);
    for (Py_ssize_t i = 0; subclasses && i < PyList_GET_SIZE(subclasses); i++)
        walk((PyTypeObject *)PyList_GET_ITEM(subclasses, i), each);
    if (!subclasses)
        PyErr_Clear();
    Py_XDECREF(subclasses);
    return result;
}

int pinsight_slots_put(PyTypeObject *type) {
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    int count = walk(type, put);
    PyErr_Restore(error, value, traceback);
    return count;
}

void pinsight_slots_take(PyTypeObject *type) {
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    walk(type, take);
    PyErr_Restore(error, value, traceback);
}

void pinsight_slots_defer(const struct pinsight_operator *op, PyTypeObject *other) {
    void **place = place_of(other, op->slot);
    if (PINSIGHT_UNLIKELY(place && *place == op->trampoline) && defers(other, op->type))
        take(other);
}
