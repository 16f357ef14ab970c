/* The tool of sys.monitoring with the callbacks; see monitoring.h. */
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING

#include "tracer/core/log.h"
#include "tracer/python/cpython/callbacks.h"
#include "tracer/python/exceptions.h"
#include "tracer/python/lines.h"
#include "tracer/python/monitoring.h"
#include "tracer/python/profiler_adjacent.h"
#include "tracer/python/watched.h"

const char pinsight_python_mechanism[] = "sys.monitoring";

static const char *const event_names[EVENTS] = {
    [START] = "PY_START",   [RESUME] = "PY_RESUME",  [THROW] = "PY_THROW",
    [RETURN] = "PY_RETURN", [YIELD] = "PY_YIELD",    [UNWIND] = "PY_UNWIND",
    [CALL] = "CALL",        [C_RETURN] = "C_RETURN", [C_RAISE] = "C_RAISE",
    [RAISE] = "RAISE",      [RERAISE] = "RERAISE",   [HANDLED] = "EXCEPTION_HANDLED",
};

static struct pinsight_monitoring_tool main_tool = {.id = -1};
static long masks[EVENTS]; /* equal in all interpreters */

/* Returns sys.monitoring, a new reference. */
static PyObject *monitoring(void) {
    PyObject *module = PySys_GetObject("monitoring"); /* borrowed */
    Py_XINCREF(module);
    if (!module)
        PyErr_SetString(PyExc_RuntimeError, "sys.monitoring is not there");
    return module;
}

static int read_masks(PyObject *module) {
    PyObject *events = PyObject_GetAttrString(module, "events");
    for (int event = 0; events && event < EVENTS; event++) {
        PyObject *value = PyObject_GetAttrString(events, event_names[event]);
        masks[event] = value ? PyLong_AsLong(value) : -1;
        Py_XDECREF(value);
        if (masks[event] < 0)
            Py_CLEAR(events);
    }
    Py_XDECREF(events);
    if (events && !pinsight_monitoring_disable.answer) /* a singleton, never freed */
        pinsight_monitoring_disable.answer = PyObject_GetAttrString(module, "DISABLE");
    return events && pinsight_monitoring_disable.answer ? 0 : -1;
}

/* Takes the first free tool id. The ids of debuggers, coverage and profilers come last. An id in
 * use is left alone. */
long pinsight_tool_take(PyObject *module) {
    static const int order[] = {4, 3, 5, 1, 0, 2};
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        PyObject *result = PyObject_CallMethod(module, "use_tool_id", "is", order[i], "PInsight");
        if (result) {
            Py_DECREF(result);
            return order[i];
        }
        PyErr_Clear();
    }
    return -1;
}

static int take_tool(PyObject *module, struct pinsight_monitoring_tool *tool) {
    if (tool->id < 0)
        tool->id = pinsight_tool_take(module);
    if (tool->id >= 0)
        return 0;
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    pinsight_log_once(&once,
                      "all tool ids of sys.monitoring are in use (by debuggers, coverage or "
                      "profilers); Python functions are not traced, run with fewer such tools");
    return -1;
}

static int set_events(PyObject *module, const struct pinsight_monitoring_tool *tool, long mask) {
    PyObject *result = PyObject_CallMethod(module, "set_events", "ll", tool->id, mask);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Enables all disabled events again, also for other tools, which disable theirs again. */
static int arm(PyObject *module, const struct pinsight_monitoring_tool *tool) {
    /* Other tools' disabled events are not known. Without a GIL, a thread may disable one now. */
    if (tool == &main_tool && PINSIGHT_HAS_GIL) {
        if (!pinsight_monitoring_disable.used)
            return 0;
        pinsight_monitoring_disable.used = false;
    }
    PyObject *result = PyObject_CallMethod(module, "restart_events", NULL);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Sets local events for watched code, if functions are not observed. */
static int set_watched_events(PyObject *module, struct pinsight_monitoring_tool *tool,
                              bool wanted) {
    const long own[PINSIGHT_WATCHED] = {masks[START] | masks[RETURN], masks[START]};
    int status = 0;
    for (int what = 0; what < PINSIGHT_WATCHED; what++) {
        PyCodeObject *code = wanted && !pinsight_python.functions
                                 ? pinsight_watched((enum pinsight_watched)what)
                                 : NULL;
        PyCodeObject *of = code ? code : tool->watched[what];
        PyObject *result = of ? PyObject_CallMethod(module, "set_local_events", "lOl", tool->id,
                                                    (PyObject *)of, code ? own[what] : 0)
                              : NULL;
        status = of && !result ? -1 : status;
        tool->watched[what] = code;
        Py_XDECREF(result);
    }
    return status;
}

/* Registers a callback. If the place of callbacks is not known, the program's audit hooks are
 * called. */
int pinsight_tool_register(PyObject *module, long tool, long mask, PyObject *callback) {
    if (pinsight_callback_put(module, tool, mask, callback))
        return 0;
    PyObject *result = PyObject_CallMethod(module, "register_callback", "llO", tool, mask,
                                           callback ? callback : Py_None);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Registers the callbacks of one table, or none for NULL. Those of exceptions are the same in all
 * modes. */
static int register_callbacks(PyObject *module, const struct pinsight_monitoring_tool *tool,
                              PyMethodDef *methods) {
    PyMethodDef *of_exceptions = pinsight_exception_callbacks(tool != &main_tool);
    for (int event = 0; event < EVENTS; event++) {
        PyMethodDef *method = event < RAISE ? &methods[event] : &of_exceptions[event - RAISE];
        PyObject *callback = methods ? PyCFunction_New(method, NULL) : NULL;
        if (methods && !callback)
            return -1;
        if (callback)
            pinsight_callback_direct(callback, pinsight_monitoring_function(method));
        int status = pinsight_tool_register(module, tool->id, masks[event], callback);
        Py_XDECREF(callback);
        if (status != 0)
            return -1;
    }
    return 0;
}

long pinsight_monitoring_tool(void) {
    return main_tool.id;
}

int pinsight_tool_start(struct pinsight_monitoring_tool *tool, enum pinsight_mode mode) {
    long mask = 0;
    PyObject *module = monitoring();
    if (!module)
        return -1;
    int status = -1;
    if (read_masks(module) != 0 || take_tool(module, tool) != 0)
        goto out;
    for (int event = START; pinsight_python.functions && event <= UNWIND; event++)
        mask |= masks[event];
    for (int event = CALL; pinsight_python.sees_c_calls && event <= C_RAISE; event++)
        mask |= masks[event];
    for (int event = RAISE; pinsight_exceptions_are_seen(mode) && event < EVENTS; event++)
        mask |= masks[event];
    if (pinsight_python.imports ||
        pinsight_python.imports_apart) /* left by an exception, which local events do not report */
        mask |= masks[UNWIND];
    if (register_callbacks(module, tool, pinsight_monitoring_callbacks(mode, tool != &main_tool)) ==
            0 &&
        set_events(module, tool, mask) == 0 && set_watched_events(module, tool, true) == 0 &&
        pinsight_lines_start(module, &tool->lines) == 0 && arm(module, tool) == 0)
        status = 0;
out:
    Py_DECREF(module);
    return status;
}

void pinsight_tool_stop(struct pinsight_monitoring_tool *tool, bool release) {
    PyObject *module = tool->id >= 0 ? monitoring() : NULL;
    if (!module) {
        PyErr_Clear();
        return;
    }
    set_events(module, tool, 0);
    set_watched_events(module, tool, false);
    pinsight_lines_stop(module, &tool->lines);
    if (release) {
        arm(module, tool); /* the next owner of the id must get all events */
        /* Up to 3.13, freeing the id leaves events on. They are off already. */
        register_callbacks(module, tool, NULL);
        PyObject *result = PyObject_CallMethod(module, "free_tool_id", "l", tool->id);
        Py_XDECREF(result);
        tool->id = -1;
    }
    Py_DECREF(module);
    PyErr_Clear();
}

int pinsight_observe_start(enum pinsight_mode mode) {
    pinsight_profiler_adjacent_start();
    return pinsight_tool_start(&main_tool, mode);
}

void pinsight_observe_stop(bool release) {
    pinsight_tool_stop(&main_tool, release);
}

#endif
