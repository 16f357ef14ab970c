/* Callables; see callable.h. */
#include "tracer/python/callable.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/cpp_bindings.h"
#include "tracer/python/cpython/calls.h"
#include "tracer/python/domain.h"
#include "tracer/python/serial.h"
#include "tracer/python/thread.h"

#include <stdlib.h>
#include <string.h>

/*
 * A key identifies the callable of a lexgion, and is not reused while it is in the table. Either
 * the object with that address is kept alive (`owner`), or its end removes the key (`watch`). Two
 * kinds of keys are types with a mark in the low bits.
 */
#define KEY_INSTANCE 1 /* all instances of the type have the type's name */
#define KEY_NEW 2      /* the type's __new__ */

struct node {
    const void *key;
    struct pinsight_python_lexgion *lexgion;
    PyObject *owner; /* strong reference, or NULL */
    PyObject *watch; /* weak reference whose callback removes the node, or NULL */
    struct node *next;
};

#define BUCKETS 4096
struct pinsight_callables {
    struct node *buckets[BUCKETS];
};
struct pinsight_callables pinsight_callables_main;
uint32_t pinsight_callable_version = 1;

/* The functions that the interpreter gives to classes of class statements: to every class, and to
 * classes that define __call__, __new__ or __init__. */
static destructor class_dealloc;
static ternaryfunc class_call;
static newfunc class_new;
static initproc class_init;
static PyTypeObject *method_wrapper_type; /* type of x.__add__ if x is of a type written in C */

int pinsight_callable_start(void) {
    if (class_dealloc)
        return 0;
    PyObject *any = (PyObject *)&PyType_Type;
    PyObject *class = PyObject_CallFunction(any, "s(){sOsOsO}", "pinsight", "__call__", any,
                                            "__new__", any, "__init__", any);
    if (!class)
        return -1;
    class_dealloc = ((PyTypeObject *)class)->tp_dealloc;
    class_call = ((PyTypeObject *)class)->tp_call;
    class_new = ((PyTypeObject *)class)->tp_new;
    class_init = ((PyTypeObject *)class)->tp_init;
    Py_DECREF(class);
    PyObject *wrapper = PyObject_GetAttrString(Py_None, "__repr__");
    if (!wrapper)
        return -1;
    method_wrapper_type = Py_TYPE(wrapper);
    Py_DECREF(wrapper);
    return pinsight_callable_name_start();
}

/* Returns the function of a bound method, or the callable itself. */
static PyObject *unwrap(PyObject *callable) {
    while (Py_TYPE(callable) == &PyMethod_Type)
        callable = PyMethod_GET_FUNCTION(callable);
    if (Py_TYPE(callable) == &PyInstanceMethod_Type)
        callable = PyInstanceMethod_GET_FUNCTION(callable);
    return callable;
}

static inline bool is_class_statement(PyTypeObject *class) {
    return (class->tp_flags & Py_TPFLAGS_HEAPTYPE) && class->tp_dealloc == class_dealloc;
}

/* Returns whether the objects of a class from a class statement are made by a C base type alone,
 * without Python code. */
static inline bool is_made_in_c(const PyTypeObject *class) {
    return class->tp_new != class_new && class->tp_init != class_init &&
           (class->tp_new != PyBaseObject_Type.tp_new ||
            class->tp_init != PyBaseObject_Type.tp_init);
}

static inline bool is_c(PyObject *callable) {
    PyTypeObject *type = Py_TYPE(callable);
    if (type == &PyFunction_Type || type->tp_call == class_call)
        return false;
    return !PyType_Check(callable) || !is_class_statement((PyTypeObject *)callable) ||
           is_made_in_c((PyTypeObject *)callable);
}

/* Returns whether it is a plain built-in function or method. The method table entry identifies it,
 * because the object may be new at each access. Cython's functions have a derived type, and are
 * identified by their objects. */
static inline bool is_builtin(PyObject *callable) {
#if PY_VERSION_HEX >= 0x03090000
    return Py_TYPE(callable) == &PyCFunction_Type || Py_TYPE(callable) == &PyCMethod_Type;
#else
    return Py_TYPE(callable) == &PyCFunction_Type;
#endif
}

static void version_next(void) {
    __atomic_fetch_add(&pinsight_callable_version, 1, __ATOMIC_RELAXED);
}

/* The callback of a watch. `self` is a capsule with the key and its table. */
static PyObject *callable_gone(PyObject *self, PyObject *reference) {
    const void *key = PyCapsule_GetPointer(self, NULL);
    struct pinsight_callables *callables = PyCapsule_GetContext(self);
    pinsight_serial_begin();
    for (struct node **at = &callables->buckets[pinsight_callable_hash(key) % BUCKETS]; *at;
         at = &(*at)->next) {
        struct node *node = *at;
        if (node->key != key || node->watch != reference)
            continue;
        *at = node->next;
        version_next();
        pinsight_python_retire(node->lexgion);
        Py_CLEAR(node->watch);
        free(node);
        break;
    }
    pinsight_serial_end();
    Py_RETURN_NONE;
}

static PyMethodDef gone_method = {"pinsight_callable_gone", callable_gone, METH_O, NULL};

/* Returns a weak reference to `object` whose callback removes the node of `key`, or NULL if the
 * object allows none. */
static PyObject *watch(struct pinsight_callables *callables, PyObject *object, const void *key) {
    PyObject *reference = NULL, *capsule = PyCapsule_New((void *)(uintptr_t)key, NULL, NULL);
    if (capsule)
        PyCapsule_SetContext(capsule, callables);
    PyObject *callback = capsule ? PyCFunction_New(&gone_method, capsule) : NULL;
    if (callback)
        reference = PyWeakref_NewRef(object, callback);
    Py_XDECREF(callback);
    Py_XDECREF(capsule);
    if (!reference)
        PyErr_Clear();
    return reference;
}

static struct node *find(const struct pinsight_callables *callables, const void *key) {
    for (struct node *node = callables->buckets[pinsight_callable_hash(key) % BUCKETS]; node;
         node = node->next) {
        if (node->key == key)
            return node;
    }
    return NULL;
}

/* Returns the key of a callable that has its own name. */
static inline const void *key_of(PyObject *callable) {
    if (!is_builtin(callable))
        return callable;
    const PyCFunctionObject *function = (const PyCFunctionObject *)callable;
    if (PINSIGHT_UNLIKELY(function->m_ml == pinsight_new_method && function->m_self))
        return (const char *)function->m_self + KEY_NEW;
    return function->m_ml;
}

static bool is_descriptor(PyObject *callable) {
    PyTypeObject *type = Py_TYPE(callable);
    return type == &PyMethodDescr_Type || type == &PyClassMethodDescr_Type ||
           type == &PyWrapperDescr_Type;
}

/* Names the callable of `key`. `name.owner` or `watched` get the object that keeps or watches the
 * key. Returns false if neither is possible, because the key would not stay valid. */
static bool name_callable(struct pinsight_callables *callables, PyObject *callable, const void *key,
                          struct pinsight_callable_name *name, PyObject **watched) {
    PyTypeObject *type = Py_TYPE(callable);
    if (key == (const char *)type + KEY_INSTANCE) {
        pinsight_name_type(type, name);
        if (is_class_statement(type)) { /* a class of the program must not be kept alive */
            name->owner = NULL;
            *watched = watch(callables, (PyObject *)type, key);
            return *watched != NULL;
        }
    } else if (is_builtin(callable)) {
        PyCFunctionObject *function = (PyCFunctionObject *)callable;
        if (function->m_ml == pinsight_new_method && function->m_self)
            pinsight_name_new((PyTypeObject *)function->m_self, name);
        else
            pinsight_name_builtin(function, name); /* method tables stay valid without an owner */
        if (key == function->m_ml && pinsight_is_pybind11(function)) {
            name->owner = NULL; /* its captured data are the program's */
            *watched = watch(callables, callable, key);
            return *watched != NULL;
        }
    } else if (PyType_Check(callable)) {
        pinsight_name_type((PyTypeObject *)callable, name);
        /* A class of the program must not be kept alive. */
        if (is_class_statement((PyTypeObject *)callable)) {
            name->owner = NULL;
            *watched = watch(callables, callable, key);
            return *watched != NULL;
        }
    } else if (is_descriptor(callable)) {
        pinsight_name_descriptor((PyDescrObject *)callable, name);
    } else {
        pinsight_name_object(callable, name);
        if (name->owner != callable) {
            name->owner = NULL;
            *watched = watch(callables, callable, key);
            return *watched != NULL;
        }
    }
    return true;
}

static struct node *add(struct pinsight_callables *callables, PyObject *callable, const void *key) {
    struct pinsight_callable_name name = {0};
    PyObject *watched = NULL;
    bool holds = name_callable(callables, callable, key, &name, &watched);
    struct pinsight_python_lexgion *lexgion =
        pinsight_lexgion_new(true, name.name, strdup("<C>"), name.module, 0);
    struct node *node = lexgion && holds ? malloc(sizeof *node) : NULL;
    if (!node) {
        if (lexgion)
            pinsight_python_retire(lexgion);
        Py_XDECREF(watched);
        return NULL;
    }
    Py_XINCREF(name.owner);
    size_t bucket = pinsight_callable_hash(key) % BUCKETS;
    *node = (struct node){.key = key,
                          .lexgion = lexgion,
                          .owner = name.owner,
                          .watch = watched,
                          .next = callables->buckets[bucket]};
    callables->buckets[bucket] = node;
    return node;
}

/* Looks into the table after the thread's cache, and resolves a new callable. */
static struct pinsight_python_lexgion *look(struct pinsight_python_thread *thread,
                                            PyObject *callable) {
    if (thread->callee_version != pinsight_callable_version) {
        memset(thread->callees, 0, sizeof thread->callees);
        thread->callee_version = pinsight_callable_version;
    }
    callable = pinsight_nanobind_unbound(callable);
    const void *key = key_of(callable);
    struct node *node = find(thread->callables, key);
    if (!node && is_builtin(callable) &&
        pinsight_pybind11_is_nameless((PyCFunctionObject *)callable)) {
        /* A program may make many of them. */
        key = (const char *)Py_TYPE(((PyCFunctionObject *)callable)->m_self) + KEY_INSTANCE;
        node = find(thread->callables, key);
    }
    if (!node && key == callable && !PyType_Check(callable) && !is_descriptor(callable) &&
        !pinsight_object_has_own_name(callable)) {
        key = (const char *)Py_TYPE(callable) + KEY_INSTANCE;
        node = find(thread->callables, key);
    }
    if (!node) {
        PyObject *error, *value, *traceback;
        PyErr_Fetch(&error, &value, &traceback);
        node = add(thread->callables, callable, key);
        PyErr_Restore(error, value, traceback);
    }
    if (!node)
        return NULL;
    /* Some ufuncs have a name and some have not, so the type alone must not find one in the cache.
     * The entry that the __new__ of all types share must not find a type's __new__ either. */
    bool by_type = key == (const char *)Py_TYPE(callable) + KEY_INSTANCE;
    if (key != pinsight_new_method && (!by_type || !pinsight_type_is_mixed(Py_TYPE(callable))))
        thread->callees[pinsight_callable_hash(key) % PINSIGHT_CALLEE_CACHE] =
            (struct pinsight_callee_slot){.key = key, .lexgion = node->lexgion};
    return node->lexgion;
}

static __attribute__((noinline)) struct pinsight_python_lexgion *
resolve(struct pinsight_python_thread *thread, PyObject *callable) {
    pinsight_serial_begin();
    struct pinsight_python_lexgion *lexgion = look(thread, callable);
    pinsight_serial_end();
    return lexgion;
}

static inline struct pinsight_python_lexgion *cached(struct pinsight_python_thread *thread,
                                                     const void *key) {
    const struct pinsight_callee_slot *slot =
        &thread->callees[pinsight_callable_hash(key) % PINSIGHT_CALLEE_CACHE];
    return PINSIGHT_LIKELY(slot->key == key) ? slot->lexgion : NULL;
}

struct pinsight_callables *pinsight_callables_new(void) {
    return calloc(1, sizeof(struct pinsight_callables));
}

void pinsight_callables_free(struct pinsight_callables *callables) {
    version_next();
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        while (callables->buckets[bucket]) {
            struct node *node = callables->buckets[bucket];
            callables->buckets[bucket] = node->next;
            pinsight_python_retire(node->lexgion);
            Py_XDECREF(node->watch);
            Py_XDECREF(node->owner);
            free(node);
        }
    }
    free(callables);
}

void pinsight_callables_let_go(void) {
    pinsight_serial_begin();
    for (size_t bucket = 0; bucket < BUCKETS; bucket++)
        for (struct node *node = pinsight_callables_main.buckets[bucket]; node; node = node->next)
            Py_CLEAR(node->owner);
    pinsight_serial_end();
}

static bool call_ends_unseen(void) {
#if PINSIGHT_HAS_MONITORING
    return pinsight_call_ends_unseen();
#else
    return false;
#endif
}

static __attribute__((noinline)) struct pinsight_python_lexgion *
wrapped(struct pinsight_python_thread *thread, PyObject *wrapper) {
    PyObject *callable = pinsight_method_wrapper_of(wrapper);
    return callable == wrapper ? resolve(thread, callable)
                               : pinsight_callable_lexgion(thread, callable);
}

bool pinsight_callable_is_c(PyObject *callable) {
    return is_c(unwrap(callable));
}

static __attribute__((noinline)) struct pinsight_python_lexgion *
bound(struct pinsight_python_thread *thread, PyObject *callable) {
    callable = unwrap(callable);
    if (!is_c(callable) || call_ends_unseen())
        return NULL;
    return pinsight_callable_lexgion(thread, callable);
}

struct pinsight_python_lexgion *pinsight_callable_lexgion(struct pinsight_python_thread *thread,
                                                          PyObject *callable) {
    PyTypeObject *type = Py_TYPE(callable);
    if (PINSIGHT_UNLIKELY(type == &PyMethod_Type || type == &PyInstanceMethod_Type))
        return bound(thread, callable);
    if (!is_c(callable))
        return NULL;
    if (PINSIGHT_UNLIKELY(Py_TYPE(callable) == method_wrapper_type))
        return wrapped(thread, callable);
    if (PINSIGHT_LIKELY(thread->callee_version == pinsight_callable_version)) {
        struct pinsight_python_lexgion *lexgion = cached(thread, key_of(callable));
        if (PINSIGHT_UNLIKELY(!lexgion))
            lexgion = cached(thread, (const char *)Py_TYPE(callable) + KEY_INSTANCE);
        if (PINSIGHT_LIKELY(lexgion != NULL))
            return lexgion;
    }
    return resolve(thread, callable);
}
