/*
 * Observation by sys.monitoring (PEP 669), CPython 3.12 and later: a tool of our own with callbacks
 * written in C (monitoring.c), and how it is registered (monitoring_tool.c).
 *
 * In: PY_START, PY_RESUME, PY_THROW. Out: PY_RETURN, PY_YIELD, PY_UNWIND. Calls of C: CALL with
 * C_RETURN and C_RAISE, which the interpreter takes together only. The numbers of events differ
 * between versions and are read from sys.monitoring.events.
 */
#ifndef PINSIGHT_PYTHON_MONITORING_H
#define PINSIGHT_PYTHON_MONITORING_H

#include "core/mode.h"
#include "domains/python/domain.h"
#include "domains/python/watched.h"

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
    EVENTS
};

/* The callbacks of a mode, by event: those of the main interpreter, or of another one. */
PyMethodDef *pinsight_monitoring_callbacks(enum pinsight_mode mode, bool another);

/* The tool in one interpreter. */
struct pinsight_monitoring_tool {
    long id;                                 /* -1: none */
    PyCodeObject *watched[PINSIGHT_WATCHED]; /* with events of their own; they are kept for good */
};

/* As pinsight_observe_start and pinsight_observe_stop, in the interpreter of the calling thread,
 * which holds its GIL and whose tool it is. */
int pinsight_tool_start(struct pinsight_monitoring_tool *tool, enum pinsight_mode mode);
void pinsight_tool_stop(struct pinsight_monitoring_tool *tool, bool release);

/* What such a callback is in C. */
static inline vectorcallfunc pinsight_monitoring_function(const PyMethodDef *method) {
    return (vectorcallfunc)(void (*)(void))method->ml_meth;
}

extern struct pinsight_monitoring_disable {
    PyObject *answer; /* sys.monitoring.DISABLE */
    bool used;        /* something was disabled since everything was armed */
} pinsight_monitoring_disable;

#endif
