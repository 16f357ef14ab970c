/* The program's lock objects; see lock_objects.h. */
#include "tracer/python/cpython/lock_objects.h"

#if PINSIGHT_LOCKS_ARE_PARKED_ON

#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/type_slots.h"
#include "tracer/python/modules.h"

static struct pinsight_lock_observer observer;

/* Both types of locks begin with the byte (Modules/_threadmodule.c, lockobject and rlockobject),
 * but for those of 3.13 that are semaphores (parked.h). */
static uintptr_t address_of(PyObject *lock) {
    return (uintptr_t)(lock + 1);
}

static PyObject *made(PyObject *lock) {
    if (lock)
        observer.made(address_of(lock));
    return lock;
}

/* ---- the two types ---- */

static newfunc own_new, own_new_recursive;
static destructor own_dealloc, own_dealloc_recursive;

static PyObject *lock_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    return made(own_new(type, arguments, keywords));
}

static PyObject *lock_new_recursive(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    return made(own_new_recursive(type, arguments, keywords));
}

static void lock_dealloc(PyObject *lock) {
    observer.gone(address_of(lock));
    own_dealloc(lock);
}

static void lock_dealloc_recursive(PyObject *lock) {
    observer.gone(address_of(lock));
    own_dealloc_recursive(lock);
}

static void redirect_type(PyObject *object, newfunc to_new, newfunc *own, destructor to_dealloc,
                          destructor *own_end) {
    PyTypeObject *type = (PyTypeObject *)object;
    if (!object || !PyType_Check(object) || !type->tp_new || !type->tp_dealloc)
        return;
    *own = type->tp_new;
    *own_end = type->tp_dealloc;
    pinsight_type_redirect(type, offsetof(PyTypeObject, tp_new), (void *)(uintptr_t)*own,
                           (void *)(uintptr_t)to_new);
    pinsight_type_redirect(type, offsetof(PyTypeObject, tp_dealloc), (void *)(uintptr_t)*own_end,
                           (void *)(uintptr_t)to_dealloc);
}

/* ---- functions that make a lock without a call of the type ---- */

static PyCFunction own_allocate, own_allocate_lock;

static PyObject *allocate(PyObject *module, PyObject *nothing) {
    return made(own_allocate(module, nothing));
}

static PyObject *allocate_lock(PyObject *module, PyObject *nothing) {
    return made(own_allocate_lock(module, nothing));
}

static void redirect_function(PyObject *function, PyCFunction to, PyCFunction *own) {
    pinsight_function_redirect(function, METH_NOARGS, to, own);
}

/* Returns whether objects of the type of locks have nothing but the byte. */
static bool is_byte(PyObject *type) {
    return type && PyType_Check(type) &&
           ((PyTypeObject *)type)->tp_basicsize <= (Py_ssize_t)(sizeof(PyObject) + sizeof(void *));
}

void pinsight_lock_objects_observe(const struct pinsight_lock_observer *wanted) {
    PyObject *module = observer.made ? NULL : pinsight_module_there("_thread");
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    if (!dict)
        return;
    PyObject *lock = PyDict_GetItemString(dict, "lock");
    if (!is_byte(lock))
        return;
    observer = *wanted;
    redirect_type(lock, lock_new, &own_new, lock_dealloc, &own_dealloc);
    redirect_type(PyDict_GetItemString(dict, "RLock"), lock_new_recursive, &own_new_recursive,
                  lock_dealloc_recursive, &own_dealloc_recursive);
    redirect_function(PyDict_GetItemString(dict, "allocate"), allocate, &own_allocate);
    redirect_function(PyDict_GetItemString(dict, "allocate_lock"), allocate_lock,
                      &own_allocate_lock);
}

#endif
