/* The function that a thread runs; see thread_runs.h. */
#include "tracer/python/thread_runs.h"

#include "tracer/core/process.h"
#include "tracer/python/balance.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/open_frames.h"
#include "tracer/python/domain.h"
#include "tracer/python/modules.h"
#include "tracer/python/path.h"
#include "tracer/python/qualname.h"
#include "tracer/python/serial.h"
#include "tracer/python/task_callback.h"
#include "tracer/python/tasks.h"
#include "tracer/record/python.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_BYTES 16u

/* The most frames at the first event of a thread. A recording that begins later finds more. */
#define FRAMES 16

static void record(struct pinsight_python_thread *thread) {
    if (!pinsight_record_python_thread_runs_enabled() || pinsight_stuck())
        return;
    thread->runs_version = pinsight_session_version();
    pinsight_record_python_thread_runs(thread->tid, thread->runs, thread->runs_path);
}

/* Keeps the name for later sessions, and records it. */
static void take(struct pinsight_python_thread *thread, const char *name, PyCodeObject *code) {
    char *own = name ? strdup(name) : NULL;
    if (!own)
        return;
    free(thread->runs);
    thread->runs = own;
    thread->runs_path = PINSIGHT_IS_PLAIN || !code ? 0 : pinsight_task_path_of_code(code);
    record(thread);
    pinsight_add_bytes(thread, RUNS_BYTES + (uint32_t)strlen(own));
}

static void describe(struct pinsight_core_thread *core, void *unused) {
    struct pinsight_python_thread *thread = core->state[pinsight_python_domain.slot];
    (void)unused;
    pinsight_path_define_again(core->start.py_path);
    if (!thread || !thread->runs || thread->runs_version == pinsight_session_version())
        return;
    pinsight_path_define_again(thread->runs_path);
    record(thread);
}

void pinsight_thread_runs_describe(void) {
    pinsight_each_thread_stopped(describe, NULL);
}

/* Returns the namespace of the module threading, borrowed, or NULL. */
static PyObject *threading(void) {
    PyObject *module = pinsight_module_there("threading");
    return module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
}

void pinsight_thread_runs_outermost(struct pinsight_python_thread *thread) {
    struct pinsight_open_frame frames[FRAMES];
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    size_t count = pinsight_open_frames(frames, FRAMES);
    if (count && count <= FRAMES && frames[count - 1].globals != threading()) {
        PyCodeObject *code = frames[count - 1].code;
        char *name = pinsight_qualname(code, frames[count - 1].globals);
        take(thread, name, code);
        free(name);
    }
    PyErr_Restore(type, value, traceback);
}

/* Returns an attribute of the object itself, a new reference; NULL if there is none or it is
 * None. */
static PyObject *own_attribute(PyObject *object, const char *name) {
    PyObject *value = pinsight_own_attribute(object, name);
    if (value == Py_None)
        Py_CLEAR(value);
    return value;
}

/* Returns the callable of the object, a new reference, or NULL. Methods run() of the module
 * threading call a target, or the function of a Timer. */
static PyObject *find_callable(PyObject *object) {
    PyObject *run = pinsight_type_find(Py_TYPE(object), "run"); /* borrowed */
    if (!run || !PyFunction_Check(run))
        return NULL;
    if (PyFunction_GET_GLOBALS(run) == threading()) {
        PyObject *target = own_attribute(object, "_target");
        return target ? target : own_attribute(object, "function");
    }
    Py_INCREF(run);
    return run;
}

void pinsight_thread_runs_object(struct pinsight_python_thread *thread, PyObject *object) {
    PyObject *callable = find_callable(object);
    if (!callable)
        return;
    PyObject *callee = pinsight_callback_callee(callable);
    char *name = pinsight_callback_name(callee);
    take(thread, name, pinsight_callback_code(callee));
    free(name);
    Py_DECREF(callable);
}
