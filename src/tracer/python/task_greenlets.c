/* Greenlets as tasks; see task_greenlets.h. */
#include "tracer/python/task_greenlets.h"

#include "tracer/core/link.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/greenlet.h"
#include "tracer/python/modules.h"
#include "tracer/python/task_callback.h"
#include "tracer/python/task_hub.h"
#include "tracer/python/task_steps.h"
#include "tracer/python/tasks.h"
#include "tracer/python/text.h"
#include "tracer/record/python.h"

#include <stdlib.h>
#include <string.h>

/* The running greenlet of this thread. */
static __thread struct {
    const void *greenlet;             /* only compared; no reference */
    const void *loop;                 /* gevent's hub if it runs; only compared */
    uint32_t path;                    /* its place after it has left */
    bool has_left;                    /* if false, it has ended when another one is resumed */
    struct pinsight_task_cause cause; /* the reason of its switch */
} now;

/* ---- kinds of greenlets ---- */

/* Called at each switch. Looks for the type once for each set of modules. */
static PyTypeObject *hub_type(void) {
    static PyTypeObject *found;
    static Py_ssize_t looked_at;
    if (found || !pinsight_modules_differ(&looked_at))
        return found;
    PyObject *module = pinsight_module_there("gevent.hub");
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *type = dict ? PyDict_GetItemString(dict, "Hub") : NULL;
    if (type && PyType_Check(type)) {
        Py_INCREF(type); /* never freed */
        found = (PyTypeObject *)type;
    }
    return found;
}

static bool is_hub(PyObject *greenlet) {
    PyTypeObject *hub = hub_type();
    return hub && PyObject_TypeCheck(greenlet, hub);
}

/* Returns whether a greenlet is a task. A thread's first greenlet is one only if there are others.
 */
static bool is_task(PyObject *greenlet) {
    return !is_hub(greenlet) && (hub_type() || !pinsight_greenlet_is_main(greenlet));
}

/* Returns a member of the instance or its class, as a new reference, or NULL. Runs no code of the
 * program: members that a class computes in Python are not read. */
static PyObject *member(PyObject *greenlet, const char *name) {
    PyObject **dict = _PyObject_GetDictPtr(greenlet);
    PyObject *found =
        dict && *dict && PyDict_CheckExact(*dict) ? PyDict_GetItemString(*dict, name) : NULL;
    PyObject *key = found ? NULL : PyUnicode_InternFromString(name);
    if (key)
        found = _PyType_Lookup(Py_TYPE(greenlet), key);
    Py_XDECREF(key);
    if (found && Py_TYPE(found) == &PyGetSetDescr_Type) {
        const PyGetSetDef *getter = ((PyGetSetDescrObject *)found)->d_getset;
        found = getter->get(greenlet, getter->closure);
        if (!found)
            PyErr_Clear();
        return found;
    }
    Py_XINCREF(found);
    return found;
}

/* Returns the loop of a hub, only to compare; NULL for any other greenlet. */
static const void *loop_of(PyObject *greenlet) {
    PyObject *loop = is_hub(greenlet) ? member(greenlet, "loop") : NULL;
    Py_XDECREF(loop); /* the hub keeps it */
    return loop;
}

/* Returns the callable of a greenlet. gevent's greenlets have their own `run`, which calls it. */
static PyObject *callable_of(PyObject *greenlet) {
    PyObject *found = member(greenlet, "_run");
    return found ? found : member(greenlet, "run");
}

static uint32_t record(struct pinsight_python_thread *thread, PyObject *greenlet, uint32_t parent,
                       uint32_t path) {
    bool is_main = pinsight_greenlet_is_main(greenlet);
    PyObject *named = is_main ? NULL : member(greenlet, "name");
    PyObject *callable = is_main ? NULL : callable_of(greenlet);
    PyObject *callee = callable ? pinsight_callback_callee(callable) : NULL;
    PyCodeObject *code = callee ? pinsight_callback_code(callee) : NULL;
    char *name = named && PyUnicode_Check(named) ? pinsight_utf8_copy(named) : NULL;
    char *function = is_main  ? strdup("(main)")
                     : callee ? pinsight_callback_name(callee)
                              : strdup(Py_TYPE(greenlet)->tp_name);
    uint32_t number = pinsight_task_record(
        thread, greenlet,
        &(struct pinsight_task_about){.kind = PINSIGHT_PYTHON_TASK_KIND_GREENLET,
                                      .name = name,
                                      .function = function,
                                      .function_path = code ? pinsight_task_path_of_code(code) : 0,
                                      .path = path,
                                      .parent = parent});
    free(name);
    free(function);
    Py_XDECREF(named);
    Py_XDECREF(callable);
    return number;
}

/* Returns the number of a greenlet, or 0 if it is no task. */
static uint32_t number_of(struct pinsight_python_thread *thread, PyObject *greenlet) {
    bool recorded;
    if (!is_task(greenlet))
        return 0;
    uint32_t number = pinsight_task_number(greenlet, &recorded);
    return number && recorded ? number : record(thread, greenlet, 0, 0);
}

static uint32_t running(struct pinsight_python_thread *thread) {
    uint32_t number = pinsight_task_running();
    PyObject *current = number ? NULL : pinsight_greenlet_current();
    if (current)
        number = number_of(thread, current);
    Py_XDECREF(current);
    return number;
}

/* ---- the causes of resumptions ---- */

/* Returns the cause for a running task and its path, if they are known. */
static struct pinsight_task_cause cause_of(uint32_t number, uint32_t path) {
    struct pinsight_task_cause cause;
    if (now.loop && pinsight_task_hub_asked(now.loop, &cause))
        return cause;
    return (struct pinsight_task_cause){.by = number, .path = path ? path : pinsight_link_here()};
}

struct pinsight_task_cause pinsight_task_greenlet_cause(struct pinsight_python_thread *thread) {
    return cause_of(now.loop ? 0 : running(thread), 0);
}

/* Records that a waiting greenlet is resumed. One that resumed itself, for example to let others
 * run, was not woken by itself. */
static void wake(struct pinsight_python_thread *thread, uint32_t number) {
    struct pinsight_task_cause cause = {.by = pinsight_task_running()};
    if (now.has_left)
        cause = now.cause;
    if (cause.by == number)
        cause.by = cause.path = 0;
    pinsight_task_wake_by(thread, number, &cause);
}

/* ---- begin and end ---- */

void pinsight_task_greenlet_made(PyObject *greenlet) {
    PyObject *type, *value, *traceback;
    struct pinsight_python_thread *thread = pinsight_task_thread();
    if (!thread || pinsight_greenlet_has_begun(greenlet))
        return;
    PyErr_Fetch(&type, &value, &traceback);
    if (is_task(greenlet))
        record(thread, greenlet, running(thread), pinsight_link_here());
    PyErr_Restore(type, value, traceback);
}

uint32_t pinsight_task_greenlet(const PyObject *greenlet) {
    bool recorded;
    return pinsight_task_number(greenlet, &recorded);
}

void pinsight_task_greenlet_gone(const PyObject *greenlet, uint32_t number) {
    struct pinsight_python_thread *thread = pinsight_task_thread();
    if (pinsight_task_greenlet(greenlet) != number)
        return; /* it has ended, and its address may be reused */
    bool is_over = number == pinsight_task_running(); /* then the switch records it */
    if (is_over || !thread)
        pinsight_task_forget(greenlet, number);
    else
        pinsight_task_over(thread, greenlet, number, PINSIGHT_PYTHON_TASK_HOW_DROPPED);
}

static void begin(struct pinsight_python_thread *thread, PyObject *greenlet) {
    uint32_t number = is_task(greenlet) ? record(thread, greenlet, pinsight_task_running(), 0) : 0;
    pinsight_task_switch(thread, number, now.path);
    now.greenlet = greenlet;
    now.loop = loop_of(greenlet);
    now.has_left = false;
}

void pinsight_task_leave(struct pinsight_task_left *left, PyObject *to) {
    PyObject *type, *value, *traceback;
    struct pinsight_python_thread *thread = pinsight_task_thread();
    left->number = pinsight_task_running();
    now.has_left = true;
    now.path = 0;
    now.cause = (struct pinsight_task_cause){0};
    if (!thread) {
        pinsight_task_run(0);
        now.greenlet = now.loop = NULL;
        return;
    }
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *current = pinsight_greenlet_current();
    if (current && current != now.greenlet)
        now.loop = loop_of(current);
    left->greenlet = now.greenlet = current;
    left->loop = now.loop;
    if (current && !left->number)
        left->number = number_of(thread, current);
    Py_XDECREF(current); /* it runs, so that a reference remains */
    pinsight_task_run(left->number);
    now.path = left->number ? pinsight_link_here() : 0;
    now.cause = cause_of(left->number, now.path);
    if (to && !pinsight_greenlet_has_begun(to))
        begin(thread, to);
    PyErr_Restore(type, value, traceback);
}

void pinsight_task_come_back(const struct pinsight_task_left *left, bool raised) {
    struct pinsight_python_thread *thread = pinsight_task_thread();
    uint32_t number = pinsight_task_running();
    if (thread && number != left->number) {
        if (left->number)
            wake(thread, left->number);
        pinsight_task_switch(thread, left->number, now.has_left ? now.path : 0);
        if (number && !now.has_left)
            pinsight_task_over(thread, now.greenlet, number,
                               raised ? PINSIGHT_PYTHON_TASK_HOW_RAISED
                                      : PINSIGHT_PYTHON_TASK_HOW_RETURNED);
    }
    pinsight_task_run(left->number);
    now.greenlet = left->greenlet;
    now.loop = left->loop;
    now.has_left = false;
}
