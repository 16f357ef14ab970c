/* The callbacks of sys.monitoring; see monitoring.h. */
#include "tracer/python/call_line.h"
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING

#include "tracer/core/settings.h"
#include "tracer/python/balance.h"
#include "tracer/python/budget.h"
#include "tracer/python/callable.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/callbacks.h"
#include "tracer/python/cpython/current_frame.h"
#include "tracer/python/event_execution.h"
#include "tracer/python/excluded_thread.h"
#include "tracer/python/fast_count.h"
#include "tracer/python/fast_path.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/modules.h"
#include "tracer/python/monitoring.h"
#include "tracer/python/serial.h"
#include "tracer/python/watched.h"

/* Returns the code of an event, or NULL for objects that some extensions pass in place of code. */
static inline PyCodeObject *event_code(PyObject *const *arguments) {
    return PINSIGHT_LIKELY(PyCode_Check(arguments[0])) ? (PyCodeObject *)arguments[0] : NULL;
}

/* The result by which a callback disables an event at a place. It is global to the tool. Therefore
 * events of a thread outside the range are not disabled, because others need them. Only the start,
 * return, resumption and pausing of functions, and calls, may be disabled; for other events, the
 * interpreter would raise an exception in the program. A call is disabled only for the budget,
 * because its place may call other callables, too. */
struct pinsight_monitoring_disable pinsight_monitoring_disable;

PINSIGHT_ALWAYS_INLINE PyObject *answer(bool wanted_no_more) {
    if (PINSIGHT_LIKELY(!wanted_no_more))
        Py_RETURN_NONE;
    PINSIGHT_PUT(pinsight_monitoring_disable.used, true);
    return Py_NewRef(pinsight_monitoring_disable.answer);
}

/* Handles an event whose callback has been replaced: the current callback gets the event, so that a
 * change of mode loses none. `flavour` is that of the old callback. */
static PyObject *forward_to_current(int event, enum pinsight_flavour flavour,
                                    PyObject *const *arguments);

/* The thread and lexgion of an event. */
struct subject {
    struct pinsight_python_thread *thread;
    struct pinsight_python_lexgion *lexgion; /* NULL if nothing is to be recorded */
    bool shut;                               /* nothing of the code will ever be recorded */
};

/* Handles code at its first event. Code that is filtered out gets no lexgion, unless it is watched.
 */
static __attribute__((noinline)) void new_code(PyCodeObject *code, struct subject *subject) {
    PyObject *globals = pinsight_globals_of(code);
    if (pinsight_python.has_modules && !pinsight_is_watched(code) &&
        pinsight_python.engine.config_version == pinsight_config_version() &&
        !pinsight_module_globals_wanted(globals)) {
        subject->shut = true;
        PINSIGHT_PUT(pinsight_python.excludes, true);
    } else {
        subject->lexgion = pinsight_code_lexgion_new(code, globals);
    }
}

PINSIGHT_ALWAYS_INLINE struct subject find(PyObject *const *arguments) {
    struct subject subject = {.thread = pinsight_python_thread()};
    PyCodeObject *code = event_code(arguments);
    if (PINSIGHT_UNLIKELY(!code || !subject.thread))
        return subject;
    subject.lexgion = pinsight_code_own(code);
    if (PINSIGHT_UNLIKELY(!subject.lexgion || subject.lexgion->stands_in) &&
        PINSIGHT_LIKELY(!subject.thread->is_excluded)) {
        subject.lexgion = NULL;
        new_code(code, &subject);
    }
    return subject;
}

/* A function begins in an excluded thread. */
static __attribute__((noinline)) PyObject *excluded_in(PyObject *const *arguments,
                                                       struct pinsight_python_thread *thread,
                                                       void *frame, int how,
                                                       enum pinsight_flavour flavour) {
    PyCodeObject *code = event_code(arguments);
    if (code)
        pinsight_excluded_begin(thread, code, frame, how, flavour);
    Py_RETURN_NONE;
}

/* A function ends in an excluded thread. Returns whether more has to be done. */
static __attribute__((noinline)) bool excluded_out(PyObject *const *arguments,
                                                   struct pinsight_python_thread *thread,
                                                   void *frame, int how) {
    PyCodeObject *code = event_code(arguments);
    return code && pinsight_excluded_ends(thread, code, frame, how);
}

PINSIGHT_ALWAYS_INLINE PyObject *function_begins(PyObject *const *arguments, int how,
                                                 enum pinsight_flavour flavour) {
    if (PINSIGHT_UNLIKELY(!pinsight_wanted(flavour)))
        return forward_to_current(START + how, flavour, arguments);
    struct subject about = find(arguments);
    if (PINSIGHT_UNLIKELY(about.thread && about.thread->is_excluded))
        return excluded_in(arguments, about.thread,
                           pinsight_what_begins(about.thread, arguments, how), how, flavour);
    if (PINSIGHT_LIKELY(about.lexgion != NULL)) {
        void *identity = pinsight_what_begins(about.thread, arguments, how);
        about.shut = pinsight_begin(
            about.thread, about.lexgion, identity, how,
            pinsight_call_line(about.thread, identity, PINSIGHT_CALLERS_OF(flavour)), flavour);
    }
    return answer(about.shut && how != PINSIGHT_PYTHON_BEGIN_HOW_THROW);
}

/* A generator of Cython reports that it goes on while the exception is set that is thrown into it.
 * With any other answer than NULL, the interpreter would replace that exception. */
PINSIGHT_ALWAYS_INLINE PyObject *function_in_any(PyObject *const *arguments, int how,
                                                 enum pinsight_flavour flavour) {
    PyObject *answer = function_begins(arguments, how, flavour);
    if (PINSIGHT_LIKELY(!pinsight_is_frameless(pinsight_what_calls(event_code(arguments)))) ||
        !PyErr_Occurred())
        return answer;
    Py_XDECREF(answer);
    return NULL;
}

PINSIGHT_ALWAYS_INLINE PyObject *function_out_any(PyObject *const *arguments, int how,
                                                  enum pinsight_flavour flavour) {
    if (PINSIGHT_UNLIKELY(!pinsight_wanted(flavour)))
        return forward_to_current(RETURN + how, flavour, arguments);
    struct subject about = find(arguments);
    if (PINSIGHT_UNLIKELY(about.thread && about.thread->is_excluded) &&
        !excluded_out(arguments, about.thread, pinsight_what_ends(about.thread, arguments[0]), how))
        Py_RETURN_NONE;
    if (PINSIGHT_LIKELY(about.lexgion != NULL))
        about.shut = pinsight_end(about.thread, about.lexgion,
                                  pinsight_what_ends(about.thread, arguments[0]), how, flavour);
    return answer(about.shut && how != PINSIGHT_PYTHON_END_HOW_UNWIND);
}

PINSIGHT_ALWAYS_INLINE PyObject *call_in_any(PyObject *const *arguments,
                                             enum pinsight_flavour flavour) {
    PyObject *callable = arguments[2];
    if (PINSIGHT_UNLIKELY(!pinsight_wanted(flavour)))
        return forward_to_current(CALL, flavour, arguments);
    struct pinsight_python_thread *thread = pinsight_python_thread();
    PyCodeObject *code = event_code(arguments);
    if (PINSIGHT_UNLIKELY(!thread ||
                          (thread->is_excluded && !pinsight_excluded_calls(thread, code))))
        Py_RETURN_NONE;
    struct pinsight_python_lexgion *callee = pinsight_callable_lexgion(thread, callable);
    if (!callee || PINSIGHT_UNLIKELY(pinsight_c_exclude(thread, callee, callable)))
        return answer(callee && callee->state.over_budget);
    struct pinsight_python_lexgion *caller = code ? pinsight_code_lexgion(code) : NULL;
    if (PINSIGHT_UNLIKELY(!caller))
        Py_RETURN_NONE;
    void *identity = pinsight_what_calls(code);
    int32_t lineno = PINSIGHT_UNLIKELY(pinsight_is_frameless(identity))
                         ? 0 /* compiled code has no instructions */
                         : pinsight_code_line(caller, code, PyLong_AsLong(arguments[1]));
    pinsight_c_begin(thread, caller, callee, identity, lineno, flavour);
    Py_RETURN_NONE;
}

PINSIGHT_ALWAYS_INLINE PyObject *call_out_any(PyObject *const *arguments, int how,
                                              enum pinsight_flavour flavour) {
    PyObject *callable = arguments[2];
    struct pinsight_python_thread *thread = pinsight_python_thread();
    if (PINSIGHT_UNLIKELY(!thread || pinsight_c_was_excluded(thread, callable)))
        Py_RETURN_NONE;
    PyCodeObject *code = event_code(arguments);
    if (PINSIGHT_UNLIKELY(!code))
        Py_RETURN_NONE;
    if (PINSIGHT_UNLIKELY(!pinsight_wanted(flavour)))
        return forward_to_current(C_RETURN + how, flavour, arguments);
    void *identity = pinsight_what_calls(code);
    if (PINSIGHT_LIKELY(!thread->is_excluded) || pinsight_excluded_call_ends(thread, identity))
        pinsight_c_end(thread, code, identity, callable, how, flavour);
    Py_RETURN_NONE;
}

/* ---- the fast path (fast_path.h), in functions of its own ---- */

PINSIGHT_ALWAYS_INLINE bool fast_in(PyObject *const *arguments, int how) {
    uint64_t now = pinsight_fast_now();
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    void *frame = thread ? pinsight_current_frame_quick() : NULL;
    /* A frame runs nothing but code objects, so the type is not compared. */
    if (PINSIGHT_UNLIKELY(!frame || !pinsight_frame_runs(frame, arguments[0])))
        return false;
    struct pinsight_python_lexgion *lexgion = pinsight_code_own((PyCodeObject *)arguments[0]);
    if (PINSIGHT_UNLIKELY(!lexgion))
        return false;
    int32_t lineno = pinsight_call_line_quick(thread, frame, PINSIGHT_CALLERS_TRACED);
    return pinsight_is_fast_line(lineno) &&
           pinsight_fast_begin(now, thread, lexgion, frame, how, lineno);
}

PINSIGHT_ALWAYS_INLINE bool fast_out(PyObject *const *arguments, int how) {
    uint64_t now = pinsight_fast_now();
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    void *frame = thread ? pinsight_current_frame_quick() : NULL;
    return PINSIGHT_LIKELY(frame != NULL) &&
           pinsight_fast_end(now, thread, arguments[0], frame, how);
}

PINSIGHT_ALWAYS_INLINE bool fast_call(PyObject *const *arguments) {
    uint64_t now = pinsight_fast_now();
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    struct pinsight_python_lexgion *callee =
        thread ? pinsight_fast_callee(pinsight_callable_cached(thread, arguments[2])) : NULL;
    void *frame = callee ? pinsight_current_frame_quick() : NULL;
    if (PINSIGHT_UNLIKELY(!frame))
        return false;
    size_t index = pinsight_small_number(arguments[1]) / sizeof(uint16_t);
    return pinsight_fast_c_begin(now, thread, arguments[0], frame, index, callee);
}

PINSIGHT_ALWAYS_INLINE bool fast_call_out(PyObject *const *arguments, int how) {
    uint64_t now = pinsight_fast_now();
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    void *frame = thread ? pinsight_current_frame_quick() : NULL;
    return PINSIGHT_LIKELY(frame != NULL) &&
           pinsight_fast_c_end(now, thread, arguments[0], frame, how);
}

/* ---- the fast path in MONITORING (fast_count.h) ---- */

/* Returns the frame of an event in MONITORING and the thread's state, or NULL. */
PINSIGHT_ALWAYS_INLINE void *counted_frame(struct pinsight_python_thread **thread) {
    *thread = pinsight_fast_thread();
    return PINSIGHT_LIKELY(*thread && pinsight_wanted_now(PINSIGHT_COUNT))
               ? pinsight_current_frame_quick()
               : NULL;
}

PINSIGHT_ALWAYS_INLINE bool count_in(PyObject *const *arguments, int how) {
    struct pinsight_python_thread *thread;
    void *frame = counted_frame(&thread);
    if (PINSIGHT_UNLIKELY(!frame || !pinsight_frame_runs(frame, arguments[0])))
        return false;
    struct pinsight_python_lexgion *lexgion = pinsight_code_own((PyCodeObject *)arguments[0]);
    if (PINSIGHT_UNLIKELY(!lexgion))
        return false;
    int32_t lineno = pinsight_call_line_quick(thread, frame, PINSIGHT_ENTRY_COUNTED);
    return PINSIGHT_LIKELY(lineno != PINSIGHT_LINE_UNREAD) &&
           pinsight_fast_count_begin(thread, lexgion, frame, how, lineno);
}

PINSIGHT_ALWAYS_INLINE bool count_out(PyObject *const *arguments) {
    struct pinsight_python_thread *thread;
    void *frame = counted_frame(&thread);
    return PINSIGHT_LIKELY(frame != NULL) && pinsight_fast_count_end(thread, arguments[0], frame);
}

PINSIGHT_ALWAYS_INLINE bool count_call(PyObject *const *arguments) {
    struct pinsight_python_thread *thread;
    void *frame = counted_frame(&thread);
    if (PINSIGHT_UNLIKELY(!frame))
        return false;
    struct pinsight_python_lexgion *callee = pinsight_callable_cached(thread, arguments[2]);
    if (PINSIGHT_UNLIKELY(!callee))
        return false;
    size_t index = pinsight_small_number(arguments[1]) / sizeof(uint16_t);
    return pinsight_fast_count_c_begin(thread, arguments[0], frame, index, callee);
}

PINSIGHT_ALWAYS_INLINE bool count_call_out(PyObject *const *arguments) {
    struct pinsight_python_thread *thread;
    void *frame = counted_frame(&thread);
    return PINSIGHT_LIKELY(frame != NULL) && pinsight_fast_count_c_end(thread, arguments[0], frame);
}

/* ---- C calls past their windows ---- */

/* Returns whether the call is of a known callee of which nothing is wanted. The interpreter goes on
 * to report its place, which may call other callables, too. */
PINSIGHT_ALWAYS_INLINE bool is_shut_call(PyObject *const *arguments) {
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    if (PINSIGHT_UNLIKELY(!thread || thread->is_excluded))
        return false;
    const struct pinsight_python_lexgion *callee = pinsight_callable_cached(thread, arguments[2]);
    return callee && !callee->state.over_budget && pinsight_c_exclude(thread, callee, arguments[2]);
}

/* Returns whether the call that ends is such a one. */
PINSIGHT_ALWAYS_INLINE bool was_shut_call(PyObject *const *arguments) {
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    return PINSIGHT_LIKELY(thread != NULL) && pinsight_c_was_excluded(thread, arguments[2]);
}

/* ---- the other cases, in functions of their own, so that the fast paths save no registers ---- */

#define OTHER_CASES(prefix, flavour)                                                               \
    static __attribute__((noinline))                                                               \
    PyObject *prefix##unusual_in(PyObject *const *arguments, int how) {                            \
        return function_in_any(arguments, how, flavour);                                           \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    PyObject *prefix##unusual_out(PyObject *const *arguments, int how) {                           \
        return function_out_any(arguments, how, flavour);                                          \
    }                                                                                              \
    static __attribute__((noinline)) PyObject *prefix##unusual_call(PyObject *const *arguments) {  \
        return call_in_any(arguments, flavour);                                                    \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    PyObject *prefix##unusual_call_out(PyObject *const *arguments, int how) {                      \
        return call_out_any(arguments, how, flavour);                                              \
    }                                                                                              \
    static __attribute__((noinline)) PyObject *prefix##slow_call(PyObject *const *arguments) {     \
        if (is_shut_call(arguments))                                                               \
            Py_RETURN_NONE;                                                                        \
        return prefix##unusual_call(arguments);                                                    \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    PyObject *prefix##slow_call_out(PyObject *const *arguments, int how) {                         \
        if (was_shut_call(arguments))                                                              \
            Py_RETURN_NONE;                                                                        \
        return prefix##unusual_call_out(arguments, how);                                           \
    }
OTHER_CASES(, PINSIGHT_REGISTRY)
OTHER_CASES(count_, PINSIGHT_COUNT)

/* ---- the callbacks ---- */

/* Returns whether the event means nothing: its thread is outside the range, and nothing is open in
 * it. The fast path of TRACING reads the same flag, so that other threads do not pay for this. In
 * MONITORING they would. */
PINSIGHT_ALWAYS_INLINE bool is_outside(enum pinsight_flavour flavour) {
    if (flavour == PINSIGHT_COUNT || PINSIGHT_LIKELY(!pinsight_fast_excludes()))
        return false;
    const struct pinsight_python_thread *thread = pinsight_fast_thread();
    return thread && thread->is_out_of_range && thread->depth == 0;
}

PINSIGHT_ALWAYS_INLINE PyObject *function_in(PyObject *const *arguments, int how,
                                             enum pinsight_flavour flavour) {
    if (is_outside(flavour))
        Py_RETURN_NONE;
    if (flavour == PINSIGHT_INLINE)
        return function_in_any(arguments, how, flavour);
    bool counts = flavour == PINSIGHT_COUNT;
    if (PINSIGHT_UNLIKELY(!(counts ? count_in(arguments, how) : fast_in(arguments, how))))
        return counts ? count_unusual_in(arguments, how) : unusual_in(arguments, how);
    Py_RETURN_NONE;
}

PINSIGHT_ALWAYS_INLINE PyObject *function_out(PyObject *const *arguments, int how,
                                              enum pinsight_flavour flavour) {
    if (is_outside(flavour))
        Py_RETURN_NONE;
    if (flavour == PINSIGHT_INLINE)
        return function_out_any(arguments, how, flavour);
    bool counts = flavour == PINSIGHT_COUNT;
    if (PINSIGHT_UNLIKELY(!(counts ? count_out(arguments) : fast_out(arguments, how))))
        return counts ? count_unusual_out(arguments, how) : unusual_out(arguments, how);
    Py_RETURN_NONE;
}

PINSIGHT_ALWAYS_INLINE PyObject *call_in(PyObject *const *arguments,
                                         enum pinsight_flavour flavour) {
    if (Py_TYPE(arguments[2]) == &PyFunction_Type || is_outside(flavour))
        Py_RETURN_NONE;
    if (flavour == PINSIGHT_INLINE)
        return call_in_any(arguments, flavour);
    bool counts = flavour == PINSIGHT_COUNT;
    if (PINSIGHT_UNLIKELY(!(counts ? count_call(arguments) : fast_call(arguments))))
        return counts ? count_slow_call(arguments) : slow_call(arguments);
    Py_RETURN_NONE;
}

PINSIGHT_ALWAYS_INLINE PyObject *call_out(PyObject *const *arguments, int how,
                                          enum pinsight_flavour flavour) {
    if (is_outside(flavour))
        Py_RETURN_NONE;
    if (flavour == PINSIGHT_INLINE)
        return call_out_any(arguments, how, flavour);
    bool counts = flavour == PINSIGHT_COUNT;
    if (PINSIGHT_UNLIKELY(!(counts ? count_call_out(arguments) : fast_call_out(arguments, how))))
        return counts ? count_slow_call_out(arguments, how) : slow_call_out(arguments, how);
    Py_RETURN_NONE;
}

static enum pinsight_callback_kind kind_of(int event) {
    switch (event) {
    case START:
    case RETURN:
        return PINSIGHT_CALLBACK_FUNCTION;
    case UNWIND:
        return PINSIGHT_CALLBACK_UNWIND;
    case RESUME:
    case THROW:
    case YIELD:
        return PINSIGHT_CALLBACK_GENERATOR;
    default:
        return PINSIGHT_CALLBACK_CALL;
    }
}

/* Called for a callback that is to be timed. It is called once more for that purpose. */
static __attribute__((noinline, cold)) PyObject *timed(PyObject *const *arguments, int event,
                                                       vectorcallfunc callback) {
    pinsight_serial_begin();
    pinsight_python_timing();
    pinsight_serial_end();
    const struct pinsight_python_thread *thread = pinsight_fast_thread();
    const uint32_t depth = thread ? thread->depth : 0;
    uint64_t start = pinsight_clock_ticks();
    PyObject *result = callback(NULL, arguments, 3, NULL);
    uint64_t ticks = pinsight_clock_ticks() - start;
    pinsight_serial_begin();
    pinsight_callback_timed(&pinsight_python.cost, kind_of(event), ticks);
    pinsight_serial_end();
    if (pinsight_budget_is_set() && pinsight_budget_sample(thread, depth) && event == CALL) {
        Py_XDECREF(result);
        result = answer(true);
    }
    return result;
}

/* Each callback is a vectorcallfunc. The interpreter calls it directly (pinsight_callback_direct),
 * or through the object's method, which gets the same number of arguments and no names. */
#define CALLBACK(event, kind, body)                                                                \
    static PyObject *event##_##kind(PyObject *self, PyObject *const *arguments, size_t count,      \
                                    PyObject *names) {                                             \
        (void)self;                                                                                \
        (void)count;                                                                               \
        (void)names;                                                                               \
        if (pinsight_python_is_due())                                                              \
            return timed(arguments, event, event##_##kind);                                        \
        return body;                                                                               \
    }

/* Defines a callback for another interpreter than the main one. */
#define CALLBACK_ELSEWHERE(event, kind)                                                            \
    static PyObject *event##_##kind##_elsewhere(PyObject *self, PyObject *const *arguments,        \
                                                size_t count, PyObject *names) {                   \
        struct pinsight_python_thread *home = pinsight_interpreter_visit();                        \
        if (PINSIGHT_UNLIKELY(!home))                                                              \
            Py_RETURN_NONE;                                                                        \
        PyObject *answer = event##_##kind(self, arguments, count, names);                          \
        pinsight_interpreter_visited(home);                                                        \
        return answer;                                                                             \
    }

#define IN(event, kind, how, ...) CALLBACK(event, kind, function_in(arguments, how, __VA_ARGS__))
#define OUT(event, kind, how, ...) CALLBACK(event, kind, function_out(arguments, how, __VA_ARGS__))

/* Defines the callbacks of one flavour. `kind` names them. */
#define CALLBACKS(kind, ...)                                                                       \
    IN(START, kind, PINSIGHT_PYTHON_BEGIN_HOW_START, __VA_ARGS__)                                  \
    IN(RESUME, kind, PINSIGHT_PYTHON_BEGIN_HOW_RESUME, __VA_ARGS__)                                \
    IN(THROW, kind, PINSIGHT_PYTHON_BEGIN_HOW_THROW, __VA_ARGS__)                                  \
    OUT(RETURN, kind, PINSIGHT_PYTHON_END_HOW_RETURN, __VA_ARGS__)                                 \
    OUT(YIELD, kind, PINSIGHT_PYTHON_END_HOW_YIELD, __VA_ARGS__)                                   \
    OUT(UNWIND, kind, PINSIGHT_PYTHON_END_HOW_UNWIND, __VA_ARGS__)                                 \
    CALLBACK(CALL, kind, call_in(arguments, __VA_ARGS__))                                          \
    CALLBACK(C_RETURN, kind, call_out(arguments, PINSIGHT_PYTHON_C_END_HOW_RETURN, __VA_ARGS__))   \
    CALLBACK(C_RAISE, kind, call_out(arguments, PINSIGHT_PYTHON_C_END_HOW_RAISE, __VA_ARGS__))     \
    static PyMethodDef methods_##kind[EVENTS] = {                                                  \
        METHOD(START, kind),  METHOD(RESUME, kind),   METHOD(THROW, kind),                         \
        METHOD(RETURN, kind), METHOD(YIELD, kind),    METHOD(UNWIND, kind),                        \
        METHOD(CALL, kind),   METHOD(C_RETURN, kind), METHOD(C_RAISE, kind),                       \
    };                                                                                             \
    CALLBACK_ELSEWHERE(START, kind)                                                                \
    CALLBACK_ELSEWHERE(RESUME, kind)                                                               \
    CALLBACK_ELSEWHERE(THROW, kind)                                                                \
    CALLBACK_ELSEWHERE(RETURN, kind)                                                               \
    CALLBACK_ELSEWHERE(YIELD, kind)                                                                \
    CALLBACK_ELSEWHERE(UNWIND, kind)                                                               \
    CALLBACK_ELSEWHERE(CALL, kind)                                                                 \
    CALLBACK_ELSEWHERE(C_RETURN, kind)                                                             \
    CALLBACK_ELSEWHERE(C_RAISE, kind)                                                              \
    static PyMethodDef elsewhere_##kind[EVENTS] = {                                                \
        METHOD(START, kind##_elsewhere),   METHOD(RESUME, kind##_elsewhere),                       \
        METHOD(THROW, kind##_elsewhere),   METHOD(RETURN, kind##_elsewhere),                       \
        METHOD(YIELD, kind##_elsewhere),   METHOD(UNWIND, kind##_elsewhere),                       \
        METHOD(CALL, kind##_elsewhere),    METHOD(C_RETURN, kind##_elsewhere),                     \
        METHOD(C_RAISE, kind##_elsewhere),                                                         \
    };

#define METHOD(event, kind)                                                                        \
    [event] = {"pinsight_" #event, (PyCFunction)(void (*)(void))event##_##kind,                    \
               METH_FASTCALL | METH_KEYWORDS, NULL}

CALLBACKS(inline, PINSIGHT_INLINE)
CALLBACKS(registry, PINSIGHT_REGISTRY)
CALLBACKS(count, PINSIGHT_COUNT)

/* Returns the callbacks of a flavour. */
static PyMethodDef *methods_of(enum pinsight_flavour flavour) {
    return PINSIGHT_VARIANT(methods, flavour);
}

static enum pinsight_flavour flavour_of(enum pinsight_mode mode) {
    return mode == PINSIGHT_MODE_MONITORING ? PINSIGHT_COUNT
           : pinsight_python.registry       ? PINSIGHT_REGISTRY
                                            : PINSIGHT_INLINE;
}

static PyObject *forward_to_current(int event, enum pinsight_flavour flavour,
                                    PyObject *const *arguments) {
    enum pinsight_flavour now = flavour_of(pinsight_python.applied);
    if (!pinsight_python.observing || now == flavour)
        Py_RETURN_NONE;
    return pinsight_monitoring_function(&methods_of(now)[event])(NULL, arguments, 3, NULL);
}

PyMethodDef *pinsight_monitoring_callbacks(enum pinsight_mode mode, bool another) {
    enum pinsight_flavour flavour = flavour_of(mode);
    return another ? PINSIGHT_VARIANT(elsewhere, flavour) : methods_of(flavour);
}

#endif
