/*
 * Observation by sys.monitoring (PEP 669), CPython 3.12 and later. PInsight has its own tool with
 * callbacks in C (monitoring.c), which monitoring_tool.c registers.
 *
 * Begins: PY_START, PY_RESUME, PY_THROW. Ends: PY_RETURN, PY_YIELD, PY_UNWIND. C calls: CALL with
 * C_RETURN and C_RAISE, which the interpreter reports only together. Exceptions: RAISE, RERAISE,
 * EXCEPTION_HANDLED (exceptions.c). The numbers of events differ between versions, and are read
 * from sys.monitoring.events.
 */
#ifndef PINSIGHT_PYTHON_MONITORING_H
#define PINSIGHT_PYTHON_MONITORING_H

#include "tracer/core/mode.h"
#include "tracer/python/domain.h"
#include "tracer/python/watched.h"

#include <Python.h>

enum pinsight_monitoring_event {
    START,
    RESUME,
    THROW,
    RETURN,
    YIELD,
    UNWIND,
    CALL,
    C_RETURN,
    C_RAISE,
    RAISE,
    RERAISE,
    HANDLED,
    EVENTS
};

/* Returns the callbacks of a mode, by event. `another` selects those for an interpreter that is not
 * the main one. */
PyMethodDef *pinsight_monitoring_callbacks(enum pinsight_mode mode, bool another);

/* The tool in one interpreter. */
struct pinsight_monitoring_tool {
    long id; /* -1: none */
    /* Code objects with local events. The references are never released. */
    PyCodeObject *watched[PINSIGHT_WATCHED];
    long lines; /* the tool that measures lines: its id + 1; 0: none (lines.h) */
};

/* Takes a free id of a tool. Returns -1 after an exception if all are in use. */
long pinsight_tool_take(PyObject *module);

/* Sets a callback, or none for NULL. Returns 0, or -1 with an exception. */
int pinsight_tool_register(PyObject *module, long tool, long mask, PyObject *callback);

/* Like pinsight_observe_start() and pinsight_observe_stop(), for the interpreter of the calling
 * thread, which holds its GIL. The tool belongs to that interpreter. */
int pinsight_tool_start(struct pinsight_monitoring_tool *tool, enum pinsight_mode mode);
void pinsight_tool_stop(struct pinsight_monitoring_tool *tool, bool release);

/* Returns a callback with its type in C. */
static inline vectorcallfunc pinsight_monitoring_function(const PyMethodDef *method) {
    return (vectorcallfunc)(void (*)(void))method->ml_meth;
}

extern struct pinsight_monitoring_disable {
    PyObject *answer; /* sys.monitoring.DISABLE */
    bool used;        /* something was disabled since the last restart of all events */
} pinsight_monitoring_disable;

#endif
