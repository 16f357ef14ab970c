/* Exceptions; see exceptions.h. */
#include "tracer/python/exceptions.h"

#include "tracer/core/callback_cost.h"
#include "tracer/core/clock.h"
#include "tracer/core/log.h"
#include "tracer/python/balance.h"
#include "tracer/python/domain.h"
#include "tracer/python/exception_counts.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/path.h"
#include "tracer/python/serial.h"

void pinsight_exceptions_check(void) {
#if !PINSIGHT_HAS_MONITORING
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (pinsight_python.exceptions)
        pinsight_log_once(&once, "exceptions are not recorded: CPython reports them from 3.12 on");
    pinsight_python.exceptions = false;
#endif
}

bool pinsight_exceptions_are_seen(enum pinsight_mode mode) {
    return pinsight_python.exceptions && mode >= PINSIGHT_MODE_MONITORING;
}

#if PINSIGHT_HAS_MONITORING

#define EVENT_BYTES 20u

/* ---- events ---- */

/* Returns the thread if it records exceptions now, or counts them. Otherwise returns NULL. */
static struct pinsight_python_thread *seeing_thread(bool *counts) {
    enum pinsight_mode mode = pinsight_domain_mode_now(&pinsight_python_domain);
    *counts = mode == PINSIGHT_MODE_MONITORING;
    if (!pinsight_exceptions_are_seen(mode) || pinsight_stuck() ||
        (!*counts && !pinsight_record_python_exception_raised_enabled()))
        return NULL;
    struct pinsight_python_thread *thread = pinsight_python_thread();
    return thread && !thread->is_excluded ? thread : NULL;
}

/* Returns whether an exception comes from an inner function, which has reported it. */
static bool comes_from_within(const struct pinsight_python_thread *thread, PyObject *exception) {
    if (thread->in_flight != exception || !PyExceptionInstance_Check(exception))
        return false;
    const PyTracebackObject *here =
        (const PyTracebackObject *)((PyBaseExceptionObject *)exception)->traceback;
    return here && here->tb_next && here->tb_next->tb_frame != here->tb_frame;
}

static uint32_t number_of(const PyObject *exception) {
    return (uint32_t)((uintptr_t)exception >> 4);
}

/* Returns the line of the handler at an offset. Its first instructions may have no line. */
static int32_t handler_line(PyObject *code, PyObject *offset) {
    long at = PyLong_AsLong(offset);
    int line = 0;
    for (int i = 0; i < 8 && line <= 0; i++, at += (long)sizeof(uint16_t))
        line = PyCode_Check(code) ? PyCode_Addr2Line((PyCodeObject *)code, (int)at) : 0;
    return line > 0 ? line : 0;
}

static void raised(PyObject *const *arguments) {
    bool counts;
    struct pinsight_python_thread *thread = seeing_thread(&counts);
    PyObject *exception = arguments[2];
    if (!thread || comes_from_within(thread, exception))
        return;
    thread->in_flight = exception;
    struct pinsight_exception_type *type = pinsight_exception_type(Py_TYPE(exception));
    uint32_t path = pinsight_path_here();
    if (counts) {
        pinsight_exception_count_raised(thread, type, number_of(exception), path);
        return;
    }
    pinsight_exception_type_define(type);
    pinsight_python_progress(thread);
    pinsight_record_python_exception_raised(thread->tid, type->number, number_of(exception), path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, EVENT_BYTES);
}

static void reraised(PyObject *const *arguments) {
    bool counts;
    struct pinsight_python_thread *thread = seeing_thread(&counts);
    PyObject *exception = arguments[2];
    if (!thread)
        return;
    thread->in_flight = exception;
    if (counts) {
        pinsight_exception_count_reraised(thread, number_of(exception));
        return;
    }
    uint32_t path = pinsight_path_here();
    pinsight_python_progress(thread);
    pinsight_record_python_exception_reraised(thread->tid, number_of(exception), path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, EVENT_BYTES);
}

static void handled(PyObject *const *arguments) {
    bool counts;
    struct pinsight_python_thread *thread = seeing_thread(&counts);
    PyObject *exception = arguments[2];
    if (!thread)
        return;
    thread->in_flight = NULL;
    int32_t lineno = handler_line(arguments[0], arguments[1]);
    uint32_t path = pinsight_path_here();
    if (counts) {
        pinsight_exception_count_handled(thread, number_of(exception), path, lineno);
        return;
    }
    pinsight_python_progress(thread);
    pinsight_record_python_exception_handled(thread->tid, number_of(exception), lineno, path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, EVENT_BYTES);
}

/* ---- the callbacks ---- */

/* One callback in about 1,024 is timed (tracer/core/callback_cost.h). */
static PyObject *here(PyObject *const *arguments, void (*event)(PyObject *const *arguments)) {
    const bool is_timed = pinsight_python_is_due();
    pinsight_serial_begin();
    if (is_timed) {
        pinsight_python_timing();
        (void)pinsight_python_is_due(); /* it counts in the next period */
    }
    const uint64_t start = is_timed ? pinsight_clock_ticks() : 0;
    event(arguments);
    if (is_timed)
        pinsight_callback_timed(&pinsight_python.cost, PINSIGHT_CALLBACK_EXCEPTION,
                                pinsight_clock_ticks() - start);
    pinsight_serial_end();
    Py_RETURN_NONE;
}

static PyObject *elsewhere(PyObject *const *arguments, void (*event)(PyObject *const *arguments)) {
    struct pinsight_python_thread *home = pinsight_interpreter_visit();
    if (home) {
        here(arguments, event);
        pinsight_interpreter_visited(home);
    }
    Py_RETURN_NONE;
}

/* The type is vectorcallfunc. */
#define CALLBACK(event, place)                                                                     \
    static PyObject *event##_##place(PyObject *self, PyObject *const *arguments, size_t count,     \
                                     PyObject *names) {                                            \
        (void)self;                                                                                \
        (void)count;                                                                               \
        (void)names;                                                                               \
        return place(arguments, event);                                                            \
    }
#define METHOD(event, place)                                                                       \
    {                                                                                              \
        "pinsight_" #event, (PyCFunction)(void (*)(void))event##_##place,                          \
            METH_FASTCALL | METH_KEYWORDS, NULL                                                    \
    }
#define CALLBACKS(place)                                                                           \
    CALLBACK(raised, place)                                                                        \
    CALLBACK(reraised, place)                                                                      \
    CALLBACK(handled, place)                                                                       \
    static PyMethodDef methods_##place[] = {METHOD(raised, place), METHOD(reraised, place),        \
                                            METHOD(handled, place)};

CALLBACKS(here)
CALLBACKS(elsewhere)

PyMethodDef *pinsight_exception_callbacks(bool another) {
    return another ? methods_elsewhere : methods_here;
}

#endif
