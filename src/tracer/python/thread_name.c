/* The names of threads; see thread_name.h. */
#include "tracer/python/thread_name.h"

#include "tracer/core/info.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/thread_state.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/serial.h"
#include "tracer/python/text.h"
#include "tracer/python/thread_runs.h"
#include "tracer/python/versions.h"

#include <stdlib.h>
#include <string.h>

/* Returns the threading.Thread that runs in this thread, borrowed, or NULL if it does not exist
 * yet. Reads dicts only, so that no code of the program runs. */
static PyObject *find_object(void) {
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *threading = modules ? PyDict_GetItemString(modules, "threading") : NULL;
    if (!threading || !PyModule_Check(threading))
        return NULL;
    PyObject *active = PyDict_GetItemString(PyModule_GetDict(threading), "_active");
    if (!active || !PyDict_CheckExact(active))
        return NULL;
    PyObject *ident = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
    PyObject *object = ident ? PyDict_GetItemWithError(active, ident) : NULL;
    Py_XDECREF(ident);
    return object;
}

/* Returns whether a threading.Thread is of another OS thread, which has ended: `threading` keeps
 * the objects that it makes for threads of others, and an ident is reused. */
static bool is_of_another(PyObject *object, uint32_t tid) {
    PyObject *number = pinsight_own_attribute(object, "_native_id");
    bool other = number && PyLong_CheckExact(number) && PyLong_AsUnsignedLong(number) != tid;
    Py_XDECREF(number);
    PyErr_Clear();
    return other;
}

/* Returns the name of a threading.Thread, a new reference, or NULL. */
static PyObject *name_of(PyObject *object) {
    PyObject *name = pinsight_own_attribute(object, "_name");
    if (name && !PyUnicode_Check(name))
        Py_CLEAR(name);
    return name;
}

void pinsight_python_thread_find_name(struct pinsight_python_thread *thread, bool in_c) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_serial_begin();
    thread->name_tries -= in_c ? 1 : PINSIGHT_NAME_TRIES_A_FUNCTION;
    PyObject *object = find_object();
    PyObject *name = object && !is_of_another(object, thread->tid) ? name_of(object) : NULL;
    char *text = name ? pinsight_utf8_copy(name) : NULL;
    Py_XDECREF(name);
    if (text && strcmp(text, thread->engine.core->name) != 0) {
        bool first = !*thread->engine.core->name;
        pinsight_info_thread(thread->engine.core, text);
        PyErr_Clear();
        if (first)
            pinsight_thread_runs_object(thread, object);
        thread->name_tries = 0;
    }
    free(text);
    pinsight_python_thread_changed(thread);
    pinsight_serial_end();
    PyErr_Restore(type, value, traceback);
}

bool pinsight_thread_code_renames(const void *object, const char *filename) {
    static const char file[] = "/threading.py";
    const PyCodeObject *code = object;
    size_t length = strlen(filename);
    return code->co_argcount == 2 && length >= sizeof file - 1 &&
           strcmp(filename + length - (sizeof file - 1), file) == 0 &&
           PyUnicode_CompareWithASCIIString(code->co_name, "name") == 0;
}

static void look_again(struct pinsight_python_thread *thread) {
    if (thread->name_tries > 0)
        return;
    thread->name_tries = PINSIGHT_NAME_TRIES_AGAIN;
    pinsight_python_thread_changed(thread);
}

#if PINSIGHT_HAS_GIL

static void look_in(struct pinsight_core_thread *core, void *unused) {
    struct pinsight_python_thread *thread;
    (void)unused;
    PINSIGHT_EACH_STATE(thread, core)
    look_again(thread);
}

void pinsight_thread_renamed(struct pinsight_python_thread *thread) {
    (void)thread;
    pinsight_thread_each(look_in, NULL);
}

#else

/* Other threads run meanwhile. */
void pinsight_thread_renamed(struct pinsight_python_thread *thread) {
    look_again(thread);
}

#endif
