/* Lines of chosen functions; see lines.h. */
#include "tracer/python/lines.h"

#include "tracer/core/log.h"
#include "tracer/core/resolve.h"
#include "tracer/python/domain.h"

#if PINSIGHT_HAS_MONITORING

#include "tracer/core/clock.h"
#include "tracer/python/balance.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/callbacks.h"
#include "tracer/python/cpython/current_frame.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/line_counts.h"
#include "tracer/python/monitoring.h"
#include "tracer/python/serial.h"

#include <stdlib.h>

static _Atomic uint32_t version; /* increases when a measurement begins */

/* ---- the executions of a thread ---- */

static inline void add(uint64_t *sum, uint64_t more) {
#if PINSIGHT_HAS_GIL
    *sum += more;
#else
    __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
#endif
}

static inline void close_line(const struct pinsight_line_entry *entry, uint64_t now) {
    if (PINSIGHT_LIKELY(entry->line != NULL))
        add(&entry->line->ticks, now - entry->start);
}

/* Returns the thread's stack. Removes executions of an earlier measurement, whose ends were not
 * seen. */
static inline struct pinsight_line_stack *stack_of(struct pinsight_python_thread *thread) {
    struct pinsight_line_stack *stack = &thread->line_stack;
    uint32_t now = atomic_load_explicit(&version, memory_order_relaxed);
    if (PINSIGHT_UNLIKELY(stack->version != now)) {
        stack->depth = 0;
        stack->version = now;
    }
    return stack;
}

static __attribute__((noinline)) bool grow(struct pinsight_line_stack *stack) {
    uint32_t room = stack->room ? stack->room * 2 : 64;
    struct pinsight_line_entry *entries = realloc(stack->entries, room * sizeof *entries);
    if (!entries)
        return false;
    stack->entries = entries;
    stack->room = room;
    return true;
}

static inline struct pinsight_line_entry *push(struct pinsight_line_stack *stack, void *frame,
                                               struct pinsight_line_counts *counts) {
    if (PINSIGHT_UNLIKELY(stack->depth == stack->room) && !grow(stack))
        return NULL;
    struct pinsight_line_entry *entry = &stack->entries[stack->depth++];
    *entry = (struct pinsight_line_entry){.frame = frame, .counts = counts};
    return entry;
}

static inline struct pinsight_line_entry *top_of(const struct pinsight_line_stack *stack) {
    return stack->depth ? &stack->entries[stack->depth - 1] : NULL;
}

/* Returns the entry of an execution that is not on top, or NULL. Removes the entries above it,
 * which belong to another greenlet or have ended unseen. */
static __attribute__((noinline)) struct pinsight_line_entry *
find_below(struct pinsight_line_stack *stack, const void *frame,
           const struct pinsight_line_counts *counts) {
    for (uint32_t i = stack->depth; i > 0; i--) {
        struct pinsight_line_entry *entry = &stack->entries[i - 1];
        if (entry->frame == frame && entry->counts == counts) {
            stack->depth = i;
            return entry;
        }
    }
    return NULL;
}

static inline struct pinsight_line_entry *entry_of(struct pinsight_line_stack *stack,
                                                   const void *frame,
                                                   const struct pinsight_line_counts *counts) {
    struct pinsight_line_entry *top = top_of(stack);
    return PINSIGHT_LIKELY(top && top->frame == frame && top->counts == counts)
               ? top
               : find_below(stack, frame, counts);
}

static inline void *frame_here(void) {
    void *frame = pinsight_current_frame_quick();
    return PINSIGHT_LIKELY(frame != NULL) ? frame : pinsight_current_frame();
}

static inline struct pinsight_line_counts *counts_of(PyObject *code) {
    struct pinsight_python_lexgion *lexgion =
        PyCode_Check(code) ? pinsight_code_own((PyCodeObject *)code) : NULL;
    return lexgion ? lexgion->line_counts : NULL;
}

/* ---- new functions ---- */

static bool is_chosen(PyCodeObject *code) {
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    const char *name = PyUnicode_AsUTF8(code->co_qualname);
    bool chosen = file && name && pinsight_resolve_lines(&pinsight_python_domain, file, name);
    PyErr_Clear();
    return chosen;
}

/* ---- the tool ---- */

enum { LINE, BEGIN, RESUMED, RETURNED, YIELDED, UNWOUND, LINE_EVENTS };

static const char *const event_names[LINE_EVENTS] = {
    [LINE] = "LINE",          [BEGIN] = "PY_START",   [RESUMED] = "PY_RESUME",
    [RETURNED] = "PY_RETURN", [YIELDED] = "PY_YIELD", [UNWOUND] = "PY_UNWIND",
};

static long masks[LINE_EVENTS]; /* equal in all interpreters */

/* Sets the events of one function. Returns 0, or -1 with an exception. */
static int set_local(PyObject *module, long id, PyCodeObject *code, bool on) {
    long local = masks[LINE] | masks[BEGIN] | masks[RESUMED] | masks[RETURNED] | masks[YIELDED];
    PyObject *result = PyObject_CallMethod(module, "set_local_events", "lOl", id, (PyObject *)code,
                                           on ? local : 0);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* A function starts that was not measured before. Returns its counts if it is to be measured. */
static __attribute__((noinline)) struct pinsight_line_counts *met(PyObject *tool,
                                                                  PyObject *object) {
    PyCodeObject *code = (PyCodeObject *)object;
    if (!PyCode_Check(object) || !pinsight_python.lines || !is_chosen(code))
        return NULL;
    struct pinsight_python_lexgion *lexgion = pinsight_code_lexgion(code);
    PyObject *module = PySys_GetObject("monitoring"); /* borrowed */
    if (!lexgion || lexgion->hidden || !module)
        return NULL;
    lexgion->line_counts = pinsight_line_counts_of(code, lexgion);
    if (lexgion->line_counts && set_local(module, PyLong_AsLong(tool), code, true) == 0)
        return lexgion->line_counts;
    PyErr_Clear();
    return NULL;
}

/* ---- events ---- */

/* Returns the thread if its lines are measured. */
static inline struct pinsight_python_thread *measured_thread(void) {
    struct pinsight_python_thread *thread = pinsight_python_thread();
    return PINSIGHT_LIKELY(thread && !thread->is_out_of_range) ? thread : NULL;
}

static PyObject *line_event(PyObject *tool, PyObject *const *arguments, Py_ssize_t count) {
    uint64_t now = pinsight_clock_ticks();
    struct pinsight_python_thread *thread = measured_thread();
    struct pinsight_line_counts *counts = counts_of(arguments[0]);
    (void)tool;
    (void)count;
    if (PINSIGHT_UNLIKELY(!thread || !counts))
        Py_RETURN_NONE;
    struct pinsight_line_stack *stack = stack_of(thread);
    void *frame = frame_here();
    struct pinsight_line_entry *entry = entry_of(stack, frame, counts);
    if (PINSIGHT_LIKELY(entry != NULL))
        close_line(entry, now);
    else if (!(entry = push(stack, frame, counts)))
        Py_RETURN_NONE;
    entry->line = pinsight_line_in(counts, (int64_t)PyLong_AsLong(arguments[1]));
    if (PINSIGHT_LIKELY(entry->line != NULL))
        add(&entry->line->hits, 1);
    entry->start = pinsight_clock_ticks();
    Py_RETURN_NONE;
}

static PyObject *start_event(PyObject *tool, PyObject *const *arguments, Py_ssize_t count) {
    struct pinsight_line_counts *counts = counts_of(arguments[0]);
    (void)count;
    if (PINSIGHT_UNLIKELY(!counts)) {
        pinsight_serial_begin();
        counts = met(tool, arguments[0]);
        pinsight_serial_end();
    }
    if (!counts) {
        pinsight_monitoring_disable.used = true;
        return Py_NewRef(pinsight_monitoring_disable.answer);
    }
    struct pinsight_python_thread *thread = measured_thread();
    if (thread)
        push(stack_of(thread), frame_here(), counts);
    Py_RETURN_NONE;
}

/* A generator goes on in the line of its yield. */
static PyObject *resume_event(PyObject *tool, PyObject *const *arguments, Py_ssize_t count) {
    struct pinsight_line_counts *counts = counts_of(arguments[0]);
    struct pinsight_python_thread *thread = measured_thread();
    (void)tool;
    (void)count;
    struct pinsight_line_entry *entry =
        counts && thread ? push(stack_of(thread), frame_here(), counts) : NULL;
    if (!entry)
        Py_RETURN_NONE;
    entry->line = pinsight_line_in(
        counts, pinsight_code_line(counts->lexgion, counts->code, PyLong_AsLong(arguments[1])));
    entry->start = pinsight_clock_ticks();
    Py_RETURN_NONE;
}

static PyObject *end_event(PyObject *tool, PyObject *const *arguments, Py_ssize_t count) {
    uint64_t now = pinsight_clock_ticks();
    struct pinsight_python_thread *thread = measured_thread();
    struct pinsight_line_stack *stack = thread ? stack_of(thread) : NULL;
    struct pinsight_line_counts *counts = stack && stack->depth ? counts_of(arguments[0]) : NULL;
    struct pinsight_line_entry *entry = counts ? entry_of(stack, frame_here(), counts) : NULL;
    (void)tool;
    (void)count;
    if (entry) {
        close_line(entry, now);
        stack->depth--;
    }
    Py_RETURN_NONE;
}

#define ELSEWHERE(event)                                                                           \
    static PyObject *event##_elsewhere(PyObject *tool, PyObject *const *arguments,                 \
                                       Py_ssize_t count) {                                         \
        struct pinsight_python_thread *home = pinsight_interpreter_visit();                        \
        if (!home)                                                                                 \
            Py_RETURN_NONE;                                                                        \
        PyObject *answer = event(tool, arguments, count);                                          \
        pinsight_interpreter_visited(home);                                                        \
        return answer;                                                                             \
    }
ELSEWHERE(line_event)
ELSEWHERE(start_event)
ELSEWHERE(resume_event)
ELSEWHERE(end_event)

#define METHOD(function)                                                                           \
    { "pinsight_" #function, (PyCFunction)(void (*)(void))function, METH_FASTCALL, NULL }
#define METHODS(line, start, resume, end)                                                          \
    {                                                                                              \
        [LINE] = METHOD(line), [BEGIN] = METHOD(start), [RESUMED] = METHOD(resume),                \
        [RETURNED] = METHOD(end), [YIELDED] = METHOD(end), [UNWOUND] = METHOD(end),                \
    }
static PyMethodDef methods[LINE_EVENTS] = METHODS(line_event, start_event, resume_event, end_event),
                   methods_elsewhere[LINE_EVENTS] =
                       METHODS(line_event_elsewhere, start_event_elsewhere, resume_event_elsewhere,
                               end_event_elsewhere);

/* ---- begin and end ---- */

static int read_masks(PyObject *module) {
    PyObject *events = PyObject_GetAttrString(module, "events");
    for (int event = 0; events && event < LINE_EVENTS; event++) {
        PyObject *value = PyObject_GetAttrString(events, event_names[event]);
        masks[event] = value ? PyLong_AsLong(value) : -1;
        Py_XDECREF(value);
        if (masks[event] < 0)
            Py_CLEAR(events);
    }
    Py_XDECREF(events);
    return events ? 0 : -1;
}

static int set_callbacks(PyObject *module, long id, bool on) {
    PyMethodDef *table = pinsight_interpreter_here() ? methods_elsewhere : methods;
    PyObject *self = PyLong_FromLong(id);
    int status = self ? 0 : -1;
    for (int event = 0; status == 0 && event < LINE_EVENTS; event++) {
        PyObject *callback = on ? PyCFunction_New(&table[event], self) : NULL;
        status = on && !callback ? -1 : pinsight_tool_register(module, id, masks[event], callback);
        Py_XDECREF(callback);
    }
    Py_XDECREF(self);
    return status;
}

static int set_global(PyObject *module, long id, bool on) {
    PyObject *result =
        PyObject_CallMethod(module, "set_events", "ll", id, on ? masks[BEGIN] | masks[UNWOUND] : 0);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Sets the events of the functions of this interpreter that were measured before. */
static int set_known(PyObject *module, long id, bool on) {
    int status = 0;
    for (struct pinsight_line_counts *at = atomic_load(&pinsight_line_counts); at && status == 0;
         at = at->next) {
        if (at->interpreter != PyInterpreterState_Get())
            continue;
        bool chosen = on && is_chosen(at->code);
        at->lexgion->line_counts = chosen ? at : NULL;
        status = set_local(module, id, at->code, chosen);
    }
    return status;
}

int pinsight_lines_start(PyObject *module, long *tool) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (!pinsight_python.lines) {
        pinsight_lines_stop(module, tool);
        return 0;
    }
    if (!*tool) {
        long id = read_masks(module) == 0 ? pinsight_tool_take(module) : -1;
        if (id < 0) {
            PyErr_Clear();
            pinsight_log_once(&once, "lines are not measured: all tool ids of sys.monitoring are "
                                     "in use; run with fewer debuggers and profilers");
            return 0;
        }
        *tool = id + 1;
        atomic_fetch_add(&version, 1);
    }
    long id = *tool - 1;
    return set_callbacks(module, id, true) == 0 && set_known(module, id, true) == 0
               ? set_global(module, id, true)
               : -1;
}

void pinsight_lines_stop(PyObject *module, long *tool) {
    long id = *tool - 1;
    if (id < 0)
        return;
    *tool = 0;
    set_global(module, id, false);
    set_known(module, id, false);
    set_callbacks(module, id, false);
    PyObject *result = PyObject_CallMethod(module, "free_tool_id", "l", id);
    Py_XDECREF(result);
    PyErr_Clear();
}

#endif

void pinsight_lines_fork_child(struct pinsight_python_thread *thread) {
#if PINSIGHT_HAS_MONITORING
    uint64_t now = pinsight_clock_ticks();
    pinsight_line_counts_fork_child();
    for (; thread; thread = (struct pinsight_python_thread *)thread->engine.more)
        for (uint32_t i = 0; i < thread->line_stack.depth; i++)
            thread->line_stack.entries[i].start = now;
#else
    (void)thread;
#endif
}
