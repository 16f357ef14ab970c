/* The trampolines for the slots of types; see trampolines.h. */
#include "tracer/python/cpython/trampolines.h"

#include "tracer/python/operators.h"

/* A section of its own, so that the addresses of this code are known. */
#define CODE __attribute__((section("pinsight_operators")))

extern const char __start_pinsight_operators[] __attribute__((visibility("hidden")));
extern const char __stop_pinsight_operators[] __attribute__((visibility("hidden")));

void pinsight_slots_code(const void **begin, const void **end) {
    *begin = __start_pinsight_operators;
    *end = __stop_pinsight_operators;
}

/* Returns whether the left operand is not of the type, which means __radd__ and similar methods. */
static inline unsigned reflected(const struct pinsight_operator *op, PyObject *left) {
    PyTypeObject *type = Py_TYPE(left);
    return type != op->type && op->slot->names[1] && !PyType_IsSubtype(type, op->type);
}

static inline void defer(const struct pinsight_operator *op, PyObject *left, PyObject *right) {
    PyTypeObject *type = Py_TYPE(right);
    if (type != op->type && type != Py_TYPE(left) && op->slot->may_defer)
        pinsight_slots_defer(op, type);
}

/* Calls the type's own function between a begin and an end. `way` is the number of the slot's name.
 */
#define CALL(result_type, failed, way, call)                                                       \
    struct pinsight_operator_call called;                                                          \
    if (PINSIGHT_LIKELY(pinsight_operator_begin(op, &called, way))) {                              \
        result_type result = call;                                                                 \
        pinsight_operator_end(&called, result == (failed));                                        \
        return result;                                                                             \
    }                                                                                              \
    return call

static CODE __attribute__((noinline)) PyObject *binary(struct pinsight_operator *op, PyObject *left,
                                                       PyObject *right) {
    defer(op, left, right);
    CALL(PyObject *, NULL, reflected(op, left), ((binaryfunc)op->own)(left, right));
}

static CODE __attribute__((noinline)) PyObject *unary(struct pinsight_operator *op,
                                                      PyObject *operand) {
    CALL(PyObject *, NULL, 0, ((unaryfunc)op->own)(operand));
}

static CODE __attribute__((noinline)) PyObject *
ternary(struct pinsight_operator *op, PyObject *left, PyObject *right, PyObject *modulus) {
    defer(op, left, right);
    CALL(PyObject *, NULL, reflected(op, left), ((ternaryfunc)op->own)(left, right, modulus));
}

static CODE __attribute__((noinline)) int assign(struct pinsight_operator *op, PyObject *object,
                                                 PyObject *key, PyObject *value) {
    CALL(int, -1, !value, ((objobjargproc)op->own)(object, key, value));
}

static CODE __attribute__((noinline)) PyObject *compare(struct pinsight_operator *op,
                                                        PyObject *left, PyObject *right, int how) {
    CALL(PyObject *, NULL, (unsigned)how, ((richcmpfunc)op->own)(left, right, how));
}

static CODE __attribute__((noinline)) int contains(struct pinsight_operator *op, PyObject *object,
                                                   PyObject *value) {
    CALL(int, -1, 0, ((objobjproc)op->own)(object, value));
}

/* Numbers begin with 1000, because a number that begins with 0 would be octal. */
#define FIRST 1000
#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define HUNDRED(M, n)                                                                              \
    TEN(M, n##0)                                                                                   \
    TEN(M, n##1)                                                                                   \
    TEN(M, n##2)                                                                                   \
    TEN(M, n##3)                                                                                   \
    TEN(M, n##4) TEN(M, n##5) TEN(M, n##6) TEN(M, n##7) TEN(M, n##8) TEN(M, n##9)
#define SIX_HUNDRED(M)                                                                             \
    HUNDRED(M, 10)                                                                                 \
    HUNDRED(M, 11) HUNDRED(M, 12) HUNDRED(M, 13) HUNDRED(M, 14) HUNDRED(M, 15)

/* NumPy's types have 194 functions of the first form, and 50, 20, 3, 21 and 2 of the others (1.24
 * to 2.3). */
#define ALL_BINARY(M) SIX_HUNDRED(M)
#define ALL_UNARY(M) HUNDRED(M, 10) HUNDRED(M, 11)
#define ALL_TERNARY(M) HUNDRED(M, 10)
#define ALL_ASSIGN(M) TEN(M, 100) TEN(M, 101) TEN(M, 102)
#define ALL_COMPARE(M) HUNDRED(M, 10)
#define ALL_CONTAINS(M) TEN(M, 100) TEN(M, 101) TEN(M, 102)

#define COUNT(n) +1
#define OPERATORS(name, all) static struct pinsight_operator name##_operators[0 all(COUNT)];
#define OPERATOR(name, n) &name##_operators[n - FIRST]
OPERATORS(binary, ALL_BINARY)
OPERATORS(unary, ALL_UNARY)
OPERATORS(ternary, ALL_TERNARY)
OPERATORS(assign, ALL_ASSIGN)
OPERATORS(compare, ALL_COMPARE)
OPERATORS(contains, ALL_CONTAINS)

#define BINARY(n)                                                                                  \
    static CODE PyObject *binary_##n(PyObject *left, PyObject *right) {                            \
        return binary(OPERATOR(binary, n), left, right);                                           \
    }
#define UNARY(n)                                                                                   \
    static CODE PyObject *unary_##n(PyObject *operand) {                                           \
        return unary(OPERATOR(unary, n), operand);                                                 \
    }
#define TERNARY(n)                                                                                 \
    static CODE PyObject *ternary_##n(PyObject *left, PyObject *right, PyObject *modulus) {        \
        return ternary(OPERATOR(ternary, n), left, right, modulus);                                \
    }
#define ASSIGN(n)                                                                                  \
    static CODE int assign_##n(PyObject *object, PyObject *key, PyObject *value) {                 \
        return assign(OPERATOR(assign, n), object, key, value);                                    \
    }
#define COMPARE(n)                                                                                 \
    static CODE PyObject *compare_##n(PyObject *left, PyObject *right, int how) {                  \
        return compare(OPERATOR(compare, n), left, right, how);                                    \
    }
#define CONTAINS(n)                                                                                \
    static CODE int contains_##n(PyObject *object, PyObject *value) {                              \
        return contains(OPERATOR(contains, n), object, value);                                     \
    }
ALL_BINARY(BINARY)
ALL_UNARY(UNARY)
ALL_TERNARY(TERNARY)
ALL_ASSIGN(ASSIGN)
ALL_COMPARE(COMPARE)
ALL_CONTAINS(CONTAINS)

#define ADDRESS_OF(name) (void *)(uintptr_t)name,
#define BINARY_ADDRESS(n) ADDRESS_OF(binary_##n)
#define UNARY_ADDRESS(n) ADDRESS_OF(unary_##n)
#define TERNARY_ADDRESS(n) ADDRESS_OF(ternary_##n)
#define ASSIGN_ADDRESS(n) ADDRESS_OF(assign_##n)
#define COMPARE_ADDRESS(n) ADDRESS_OF(compare_##n)
#define CONTAINS_ADDRESS(n) ADDRESS_OF(contains_##n)

/* The trampolines of a form, and the operator of each. */
#define POOL(name, addresses)                                                                      \
    {                                                                                              \
        name##_operators, (void *const[]){addresses},                                              \
            sizeof name##_operators / sizeof *name##_operators, 0                                  \
    }
static struct trampoline_pool {
    struct pinsight_operator *operators;
    void *const *trampolines;
    unsigned count, used;
} pools[PINSIGHT_FORMS] = {
    [PINSIGHT_FORM_BINARY] = POOL(binary, ALL_BINARY(BINARY_ADDRESS)),
    [PINSIGHT_FORM_UNARY] = POOL(unary, ALL_UNARY(UNARY_ADDRESS)),
    [PINSIGHT_FORM_TERNARY] = POOL(ternary, ALL_TERNARY(TERNARY_ADDRESS)),
    [PINSIGHT_FORM_ASSIGN] = POOL(assign, ALL_ASSIGN(ASSIGN_ADDRESS)),
    [PINSIGHT_FORM_COMPARE] = POOL(compare, ALL_COMPARE(COMPARE_ADDRESS)),
    [PINSIGHT_FORM_CONTAINS] = POOL(contains, ALL_CONTAINS(CONTAINS_ADDRESS)),
};

struct pinsight_operator *pinsight_trampoline_new(unsigned form) {
    struct trampoline_pool *pool = &pools[form];
    if (pool->used == pool->count)
        return NULL;
    struct pinsight_operator *op = &pool->operators[pool->used];
    op->trampoline = pool->trampolines[pool->used++];
    return op;
}
