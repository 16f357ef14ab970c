/* Exceptions; see exceptions.h. */
#include "tracer/python/exceptions.h"

#include "tracer/core/log.h"
#include "tracer/python/balance.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/domain.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/path.h"
#include "tracer/python/serial.h"

#include <stdlib.h>
#include <string.h>

void pinsight_exceptions_check(void) {
#if !PINSIGHT_HAS_MONITORING
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (pinsight_python.exceptions)
        pinsight_log_once(&once, "exceptions are not recorded: CPython reports them from 3.12 on");
    pinsight_python.exceptions = false;
#endif
}

bool pinsight_exceptions_are_seen(enum pinsight_mode mode) {
    return pinsight_python.exceptions && mode == PINSIGHT_MODE_TRACING;
}

#if PINSIGHT_HAS_MONITORING

#define EVENT_BYTES 20u

/* ---- names of types ---- */

/* Types by address. Another type at the same address has another `own`, or the same name. */
static struct exception_type {
    const PyTypeObject *type;
    const char *own; /* its tp_name */
    char *name;      /* owned; never freed */
} types[1024];

static const char *without_builtins(const char *name) {
    static const char builtins[] = "builtins.";
    return strncmp(name, builtins, sizeof builtins - 1) == 0 ? name + sizeof builtins - 1 : name;
}

static __attribute__((noinline)) const char *name_anew(struct exception_type *place,
                                                       PyTypeObject *type) {
    struct pinsight_callable_name is = {0};
    if (place->type)
        return type->tp_name; /* the table is full here */
    pinsight_name_type(type, &is);
    free(is.module);
    if (!is.name)
        return type->tp_name;
    *place = (struct exception_type){type, type->tp_name, is.name};
    return without_builtins(is.name);
}

/* Returns the qualified name of a type, which is valid while the type lives. */
static const char *name_of(PyTypeObject *type) {
    const size_t count = sizeof types / sizeof types[0];
    size_t at = ((uintptr_t)type >> 4) * 0x9E3779B1u % count;
    for (size_t i = 0; i < 8; i++, at = (at + 1) % count)
        if (!types[at].type || (types[at].type == type && types[at].own == type->tp_name))
            break;
    struct exception_type *place = &types[at];
    return place->type == type && place->own == type->tp_name ? without_builtins(place->name)
                                                              : name_anew(place, type);
}

/* ---- events ---- */

/* Returns the thread if it records exceptions now. Otherwise returns NULL. */
static struct pinsight_python_thread *recording_thread(void) {
    if (!pinsight_exceptions_are_seen(pinsight_domain_mode_now(&pinsight_python_domain)) ||
        !pinsight_record_python_exception_raised_enabled() || pinsight_stuck())
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
    struct pinsight_python_thread *thread = recording_thread();
    PyObject *exception = arguments[2];
    if (!thread || comes_from_within(thread, exception))
        return;
    thread->in_flight = exception;
    const char *name = name_of(Py_TYPE(exception));
    uint32_t path = pinsight_path_here();
    pinsight_python_progress(thread);
    pinsight_record_python_exception_raised(thread->tid, name, number_of(exception), path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, EVENT_BYTES + (uint32_t)strlen(name));
}

static void reraised(PyObject *const *arguments) {
    struct pinsight_python_thread *thread = recording_thread();
    PyObject *exception = arguments[2];
    if (!thread)
        return;
    thread->in_flight = exception;
    uint32_t path = pinsight_path_here();
    pinsight_python_progress(thread);
    pinsight_record_python_exception_reraised(thread->tid, number_of(exception), path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, EVENT_BYTES);
}

static void handled(PyObject *const *arguments) {
    struct pinsight_python_thread *thread = recording_thread();
    PyObject *exception = arguments[2];
    if (!thread)
        return;
    thread->in_flight = NULL;
    int32_t lineno = handler_line(arguments[0], arguments[1]);
    uint32_t path = pinsight_path_here();
    pinsight_python_progress(thread);
    pinsight_record_python_exception_handled(thread->tid, number_of(exception), lineno, path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, EVENT_BYTES);
}

/* ---- the callbacks ---- */

static PyObject *here(PyObject *const *arguments, void (*event)(PyObject *const *arguments)) {
    pinsight_serial_begin();
    event(arguments);
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
