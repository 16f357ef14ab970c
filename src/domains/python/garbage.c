/* Collections of garbage; see garbage.h. */
#include "domains/python/garbage.h"

#include "core/link.h"
#include "domains/python/balance.h"
#include "domains/python/plain.h"
#include "domains/python/versions.h"

#define BEGIN_BYTES 19u
#define END_BYTES 31u

/* All are held by us; NULL without. */
static PyObject *walked; /* the list that the interpreter walks */
static PyObject *shown;  /* the program's, where that is another */
static PyObject *ours;   /* the callable in the first */
static bool watching;
/* The thread whose collection was recorded to begin: there is one at a time. */
static const struct pinsight_python_thread *collecting;
/* Calls of `collection` that are under way: the interpreter walks the list. */
static unsigned walking;

/* A number of what the interpreter tells of a collection. */
static uint64_t number_of(PyObject *info, const char *key) {
    PyObject *value = PyDict_Check(info) ? PyDict_GetItemString(info, key) : NULL; /* borrowed */
    long long number = value && PyLong_Check(value) ? PyLong_AsLongLong(value) : 0;
    return number > 0 ? (uint64_t)number : 0;
}

static struct pinsight_python_thread *recorded_thread(void) {
    if (!watching || !pinsight_in_main_interpreter() ||
        pinsight_domain_mode_now(&pinsight_python_domain) != PINSIGHT_MODE_TRACING)
        return NULL;
    struct pinsight_python_thread *thread = pinsight_python_thread();
    return thread && !thread->out ? thread : NULL;
}

static void begin(PyObject *info) {
    struct pinsight_python_thread *thread = recorded_thread();
    if (!thread || !pinsight_record_python_gc_begin_enabled())
        return;
    if (thread->name_tries > 0)
        pinsight_python_thread_find_name(thread);
    uint32_t path = pinsight_plain() ? 0 : pinsight_link_here();
    pinsight_python_progress(thread);
    pinsight_record_python_gc_begin((uint8_t)number_of(info, "generation"), thread->number, path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, BEGIN_BYTES);
    collecting = thread;
}

static void end(PyObject *info) {
    struct pinsight_core_thread *core = pinsight_thread_self();
    struct pinsight_python_thread *thread = core ? core->state[pinsight_python_domain.slot] : NULL;
    if (!thread || thread != collecting)
        return;
    collecting = NULL;
    if (pinsight_stuck())
        return;
    pinsight_python_progress(thread);
    pinsight_record_python_gc_end((uint8_t)number_of(info, "generation"), thread->number,
                                  number_of(info, "collected"), number_of(info, "uncollectable"));
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, END_BYTES);
}

/* The callable of an index, a new reference; NULL past the end. */
static PyObject *callable_at(PyObject *list, Py_ssize_t index) {
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *callable = PyList_GetItemRef(list, index);
    if (!callable)
        PyErr_Clear();
#else
    PyObject *callable = index < PyList_GET_SIZE(list) ? PyList_GET_ITEM(list, index) : NULL;
    Py_XINCREF(callable);
#endif
    return callable;
}

/* As the interpreter does with its own list (invoke_gc_callback), which may change meanwhile. */
static void serve(PyObject *phase, PyObject *info) {
    PyObject *list = shown, *callable;
    Py_XINCREF(list);
    for (Py_ssize_t i = 0; list && (callable = callable_at(list, i)); i++) {
        PyObject *result = PyObject_CallFunctionObjArgs(callable, phase, info, NULL);
        if (!result)
            PyErr_WriteUnraisable(callable);
        Py_XDECREF(result);
        Py_DECREF(callable);
    }
    Py_XDECREF(list);
}

/* What the program's callbacks do is no part of the collection. */
static PyObject *collection(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count != 2)
        Py_RETURN_NONE;
    bool begins = PyUnicode_Check(arguments[0]) &&
                  PyUnicode_CompareWithASCIIString(arguments[0], "start") == 0;
    if (!begins)
        end(arguments[1]);
    walking++;
    serve(arguments[0], arguments[1]);
    walking--;
    if (begins)
        begin(arguments[1]);
    Py_RETURN_NONE;
}

static PyMethodDef collection_method = {
    "pinsight_collection", (PyCFunction)(void (*)(void))collection, METH_FASTCALL, NULL};

static Py_ssize_t place_of_ours(void) {
    for (Py_ssize_t i = 0; walked && i < PyList_GET_SIZE(walked); i++)
        if (PyList_GET_ITEM(walked, i) == ours)
            return i;
    return -1;
}

/* Does nobody have the list but the interpreter, the module, and we? Up to 3.9 the interpreter also
 * keeps a copy of what is in the module. */
static bool is_unshared(PyObject *module, PyObject *callbacks) {
    const PyModuleDef *definition = PyModule_GetDef(module);
    PyObject *copy = definition ? definition->m_base.m_copy : NULL;
    bool is_kept = copy && PyDict_GetItemString(copy, "callbacks") == callbacks;
    PyErr_Clear();
    return Py_REFCNT(callbacks) <= 3 + is_kept;
}

/* Where the program holds the list that the interpreter walks, ours is one of those in it: the
 * program might take out its own there. */
static bool put_in(PyObject *module) {
    PyObject *callbacks = PyObject_GetAttrString(module, "callbacks");
    bool alone = callbacks && is_unshared(module, callbacks);
    if (!callbacks || !PyList_CheckExact(callbacks))
        goto out;
    shown = alone ? PyList_GetSlice(callbacks, 0, PyList_GET_SIZE(callbacks)) : NULL;
    PyObject *first = Py_BuildValue("[O]", ours);
    if (first && (shown || !alone) &&
        PyList_SetSlice(callbacks, 0, alone ? PyList_GET_SIZE(callbacks) : 0, first) == 0) {
        walked = callbacks;
        Py_INCREF(walked);
        if (shown)
            PyObject_SetAttrString(module, "callbacks", shown);
    }
    Py_XDECREF(first);
    if (!walked)
        Py_CLEAR(shown);
out:
    Py_XDECREF(callbacks);
    return walked != NULL;
}

static void take_out(PyObject *module) {
    PyObject *attribute = PyObject_GetAttrString(module, "callbacks");
    bool is_bound = shown && attribute == shown;
    Py_XDECREF(attribute);
    PyErr_Clear();
    if (shown && Py_REFCNT(shown) > 1 + is_bound)
        return; /* the program changes it later, perhaps */
    if (walking)
        return;
    Py_ssize_t place = place_of_ours();
    if (place >= 0)
        PyList_SetSlice(walked, place, place + 1, shown);
    if (is_bound)
        PyObject_SetAttrString(module, "callbacks", walked);
    Py_CLEAR(shown);
    Py_CLEAR(walked);
}

void pinsight_garbage_watch(bool watch) {
    PyObject *type, *value, *traceback;
    bool there = place_of_ours() >= 0;
    watching = watch;
    if (there == watch)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *module = PyImport_ImportModule("gc");
    if (!ours)
        ours = PyCFunction_New(&collection_method, NULL);
    if (module && ours && watch && !walked)
        put_in(module);
    else if (module && walked && !watch)
        take_out(module);
    Py_XDECREF(module);
    PyErr_Restore(type, value, traceback);
}

void pinsight_garbage_fork_child(void) {
    collecting = NULL;
}
