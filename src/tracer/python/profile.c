/*
 * Observation by a C profile function, CPython 3.8 to 3.11, in every thread of the interpreter.
 *
 * The interpreter reports Python functions, built-in functions and method descriptors. It does not
 * report other callables written in C (types, ufuncs, Cython functions).
 */
#include "tracer/python/call_line.h"
#include "tracer/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

#include "tracer/core/settings.h"
#include "tracer/python/balance.h"
#include "tracer/python/callable.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/event_frame.h"
#include "tracer/python/cpython/profile_hook.h"
#include "tracer/python/excluded_thread.h"
#include "tracer/python/fast_path.h"
#include "tracer/python/modules.h"
#include "tracer/python/profile.h"
#include "tracer/python/profiler_replaced.h"
#include "tracer/python/waits.h"
#include "tracer/python/watched.h"

const char pinsight_python_mechanism[] = "profile function";

/* The current profile function. NULL if nothing is observed. */
static Py_tracefunc installed;
bool pinsight_profile_is_ours(Py_tracefunc function) {
    return function && function == installed;
}

bool pinsight_profile_come_back(void) {
    return installed && pinsight_profile_hook_put(installed);
}

/* Handles threads that have started since the last check, from threading, _thread or C. */
PINSIGHT_ALWAYS_INLINE void look_for_threads(void) {
    if (PINSIGHT_UNLIKELY(pinsight_profile_hook_is_missing()))
        pinsight_profile_hook_put(installed);
}

void pinsight_profile_thread_starts(void) {
#if !PINSIGHT_IS_PLAIN
    PyThreadState *state = installed ? PyGILState_GetThisThreadState() : NULL;
    if (PINSIGHT_LIKELY(!state || pinsight_profile_hook_has_one(state)))
        return;
    const struct pinsight_core_thread *core = pinsight_thread_there();
    struct pinsight_python_thread *thread = core ? core->state[pinsight_python_domain.slot] : NULL;
    if (thread && (thread->is_out_of_range || thread->profiled_state == state->id))
        return; /* our function was removed from it before */
    if (thread)
        thread->profiled_state = state->id;
    pinsight_profile_hook_put_own(state, installed);
#endif
}

/* Removes our function from a thread out of range, if no later thread can be in the range.
 * Otherwise the function stays, to notice new threads. */
static bool out_of_range(struct pinsight_python_thread *thread) {
    return !thread->depth && pinsight_python.range_is_full &&
           pinsight_profile_hook_take_own(installed);
}

/*
 * Returns the lexgion of code at its first event, or after it had a stand-in (code.h). Returns NULL
 * if memory is short, or if the code is filtered out; a stand-in then keeps it quiet, unless it
 * `calls` C that is wanted.
 */
static __attribute__((noinline)) struct pinsight_python_lexgion *new_code(PyCodeObject *code,
                                                                          bool calls) {
    uint32_t version = pinsight_decision_version(), config_version = pinsight_config_version();
    PyObject *globals = pinsight_globals_of(code);
    /* The body of cProfile's class, which is based on _lsprof. */
    if (PyUnicode_CompareWithASCIIString(code->co_name, "Profile") == 0)
        pinsight_profiler_replaced_start();
    pinsight_profile_hook_look();
    if (!calls && pinsight_python.has_modules && !pinsight_is_watched(code) &&
        pinsight_python.engine.config_version == config_version &&
        !pinsight_module_globals_wanted(globals)) {
        pinsight_python.excludes = true;
        pinsight_code_stand_in(code, version, config_version);
        return NULL;
    }
    return pinsight_code_lexgion_new(code, globals);
}

/* Returns whether the applied mode is current, and no thread has to wait. */
static inline bool as_applied(void) {
    return pinsight_domain_mode_now(&pinsight_python_domain) == (int)pinsight_python.applied;
}

/* Called while functions are off in the applied settings. */
static __attribute__((noinline)) void event_is_off(struct pinsight_python_lexgion *lexgion) {
    uint32_t version = pinsight_decision_version(); /* increases after the settings change */
    pinsight_python.excludes = true;
    if (pinsight_python.engine.config_version == pinsight_config_version())
        lexgion->quiet_version = version;
}

PINSIGHT_ALWAYS_INLINE void c_begin(struct pinsight_python_thread *thread,
                                    struct pinsight_python_lexgion *caller, PyCodeObject *code,
                                    PyFrameObject *frame, PyObject *callable,
                                    enum pinsight_flavour flavour) {
    struct pinsight_python_lexgion *callee = pinsight_callable_lexgion(thread, callable);
    if (PINSIGHT_UNLIKELY(!callee || pinsight_c_exclude(thread, callee, callable)))
        return;
    if (PINSIGHT_UNLIKELY(!caller || caller->stands_in) && !(caller = new_code(code, true)))
        return;
    int32_t lineno = pinsight_code_line(caller, code, pinsight_event_offset(frame));
    pinsight_c_begin(thread, caller, callee, frame, lineno, flavour);
}

PINSIGHT_ALWAYS_INLINE void c_end(struct pinsight_python_thread *thread, PyCodeObject *code,
                                  PyFrameObject *frame, int what, PyObject *callable,
                                  enum pinsight_flavour flavour) {
    look_for_threads(); /* this may be the start of a thread */
    if (!pinsight_c_was_excluded(thread, callable))
        pinsight_c_end(thread, code, frame, callable,
                       what == PyTrace_C_RETURN ? PINSIGHT_PYTHON_C_END_HOW_RETURN
                                                : PINSIGHT_PYTHON_C_END_HOW_RAISE,
                       flavour);
}

/* Handles an event whose function has been replaced: the current function gets the event, so that a
 * change of mode loses none. `flavour` is that of the old function. */
static int forward_to_current(PyFrameObject *frame, int what, PyObject *argument,
                              enum pinsight_flavour flavour);

/* ---- the fast path (fast_path.h), in functions of its own ---- */

static int unusual(PyFrameObject *frame, int what, PyObject *argument);

/* Defines one function for each kind of event, so that one kind does not cost the others saved
 * registers. The parameters are in the same registers as those of a profile function. */
#define FAST(kind, of_what, ...)                                                                   \
    static __attribute__((noinline)) int fast_##kind(struct pinsight_python_thread *thread,        \
                                                     PyFrameObject *frame, uint64_t now,           \
                                                     PyObject *argument) {                         \
        PyCodeObject *code = pinsight_event_code(frame);                                           \
        return PINSIGHT_LIKELY(__VA_ARGS__) ? 0 : unusual(frame, of_what, argument);               \
    }

PINSIGHT_ALWAYS_INLINE bool begin_fast(uint64_t now, struct pinsight_python_thread *thread,
                                       PyFrameObject *frame, PyCodeObject *code) {
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    int32_t lineno = pinsight_call_line_quick(thread, frame, PINSIGHT_CALLERS_TRACED);
    return PINSIGHT_LIKELY(lexgion != NULL) && pinsight_is_fast_line(lineno) &&
           pinsight_fast_begin(now, thread, lexgion, frame, pinsight_event_begin_how(frame, code),
                               lineno);
}

PINSIGHT_ALWAYS_INLINE bool call_fast(uint64_t now, struct pinsight_python_thread *thread,
                                      PyFrameObject *frame, PyCodeObject *code,
                                      PyObject *callable) {
    struct pinsight_python_lexgion *callee =
        pinsight_fast_callee(pinsight_callable_cached(thread, callable));
    if (PINSIGHT_UNLIKELY(!callee))
        return false;
    size_t index = (size_t)pinsight_event_offset(frame) / sizeof(uint16_t);
    return pinsight_fast_c_begin(now, thread, code, frame, index, callee);
}

FAST(begin, PyTrace_CALL, begin_fast(now, thread, frame, code))
FAST(end, PyTrace_RETURN,
     pinsight_fast_end(now, thread, code, frame, pinsight_event_end_how(frame, code, argument)))
FAST(call, PyTrace_C_CALL, call_fast(now, thread, frame, code, argument))
FAST(call_end, PyTrace_C_RETURN,
     pinsight_fast_c_end(now, thread, code, frame, PINSIGHT_PYTHON_C_END_HOW_RETURN))

PINSIGHT_ALWAYS_INLINE int fast_path(PyFrameObject *frame, int what, PyObject *argument) {
    if (PINSIGHT_UNLIKELY(!pinsight_python.sees_c_calls && what > PyTrace_RETURN))
        return unusual(frame, what, argument);
    uint64_t now = pinsight_fast_now();
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    if (PINSIGHT_UNLIKELY(!thread || pinsight_profile_hook_is_missing()))
        return unusual(frame, what, argument);
    switch (what) {
    case PyTrace_CALL:
        return fast_begin(thread, frame, now, argument);
    case PyTrace_RETURN:
        return fast_end(thread, frame, now, argument);
    case PyTrace_C_CALL:
        return fast_call(thread, frame, now, argument);
    case PyTrace_C_RETURN:
        return fast_call_end(thread, frame, now, argument);
    default:
        return unusual(frame, what, argument);
    }
}

/* Handles an event in an excluded thread. Returns whether more has to be done. */
static __attribute__((noinline)) bool excluded(struct pinsight_python_thread *thread,
                                               PyFrameObject *frame, PyCodeObject *code, int what,
                                               PyObject *argument, enum pinsight_flavour flavour) {
    look_for_threads();
    if (thread->is_out_of_range && out_of_range(thread))
        return false;
    switch (what) {
    case PyTrace_CALL:
        pinsight_excluded_begin(thread, code, frame, pinsight_event_begin_how(frame, code),
                                flavour);
        return false;
    case PyTrace_RETURN:
        return pinsight_excluded_ends(thread, code, frame,
                                      pinsight_event_end_how(frame, code, argument));
    case PyTrace_C_CALL:
        return pinsight_excluded_calls(thread, code);
    default:
        return pinsight_excluded_call_ends(thread, frame);
    }
}

PINSIGHT_ALWAYS_INLINE int profile_other(PyFrameObject *frame, int what, PyObject *argument,
                                         enum pinsight_flavour flavour) {
    /* Unwanted events come first: kinds that are off, and code by one look at its flag. */
    bool is_c = what != PyTrace_CALL && what != PyTrace_RETURN;
    PyCodeObject *code = pinsight_event_code(frame);
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    if (!is_c && lexgion && lexgion->quiet_version == pinsight_decision_version())
        return 0;
    if (is_c && PINSIGHT_UNLIKELY(!pinsight_python.sees_c_calls) && as_applied()) {
        if (what != PyTrace_C_CALL)
            look_for_threads();
        return 0;
    }
    if (PINSIGHT_UNLIKELY(!pinsight_wanted(flavour)))
        return forward_to_current(frame, what, argument, flavour);
    struct pinsight_python_thread *thread = pinsight_python_thread();
    if (PINSIGHT_UNLIKELY(!thread))
        return 0;
    if (PINSIGHT_UNLIKELY(thread->is_excluded) &&
        !excluded(thread, frame, code, what, argument, flavour))
        return 0;
    if (is_c) {
        if (what == PyTrace_C_CALL)
            c_begin(thread, lexgion, code, frame, argument, flavour);
        else
            c_end(thread, code, frame, what, argument, flavour);
        return 0;
    }
    if (what == PyTrace_CALL)
        look_for_threads();
    if (PINSIGHT_UNLIKELY(!lexgion || lexgion->stands_in) && !(lexgion = new_code(code, false)))
        return 0;
    if (!pinsight_python.functions && PINSIGHT_LIKELY(!lexgion->imports && !lexgion->schedules)) {
        event_is_off(lexgion);
        return 0;
    }
    if (what == PyTrace_CALL) {
        bool shut = pinsight_begin(thread, lexgion, frame, pinsight_event_begin_how(frame, code),
                                   pinsight_call_line(thread, frame, PINSIGHT_CALLERS_OF(flavour)),
                                   flavour);
        if (PINSIGHT_UNLIKELY(shut) && pinsight_lexgion_is_done(lexgion))
            lexgion->quiet_version = lexgion->state.refuse_version;
    } else {
        bool shut = pinsight_end(thread, lexgion, frame,
                                 pinsight_event_end_how(frame, code, argument), flavour);
        if (PINSIGHT_UNLIKELY(shut))
            lexgion->quiet_version = lexgion->state.refuse_version;
    }
    return 0;
}

static __attribute__((noinline)) int unusual(PyFrameObject *frame, int what, PyObject *argument) {
    return profile_other(frame, what, argument, PINSIGHT_REGISTRY);
}

PINSIGHT_ALWAYS_INLINE int profile(PyFrameObject *frame, int what, PyObject *argument,
                                   enum pinsight_flavour flavour) {
    if (flavour != PINSIGHT_REGISTRY)
        return profile_other(frame, what, argument, flavour);
    return fast_path(frame, what, argument);
}

static enum pinsight_callback_kind kind_of(int what, const PyObject *argument) {
    if (what == PyTrace_CALL)
        return PINSIGHT_CALLBACK_FUNCTION;
    if (what == PyTrace_RETURN)
        return argument ? PINSIGHT_CALLBACK_FUNCTION : PINSIGHT_CALLBACK_UNWIND;
    return PINSIGHT_CALLBACK_CALL;
}

/* Called for a callback that is to be timed. It is called once more for that purpose. */
static __attribute__((noinline, cold)) int timed(PyFrameObject *frame, int what, PyObject *argument,
                                                 Py_tracefunc callback) {
    pinsight_callback_timing(&pinsight_python.cost);
    uint64_t start = pinsight_clock_ticks();
    int answer = callback(NULL, frame, what, argument);
    pinsight_callback_timed(&pinsight_python.cost, kind_of(what, argument),
                            pinsight_clock_ticks() - start);
    return answer;
}

#define PROFILE(kind, ...)                                                                         \
    static int profile_##kind(PyObject *self, PyFrameObject *frame, int what,                      \
                              PyObject *argument) {                                                \
        (void)self;                                                                                \
        if (pinsight_python_is_due())                                                              \
            return timed(frame, what, argument, profile_##kind);                                   \
        return profile(frame, what, argument, __VA_ARGS__);                                        \
    }
PROFILE(inline, PINSIGHT_INLINE)
PROFILE(registry, PINSIGHT_REGISTRY)
PROFILE(count, PINSIGHT_COUNT)

/* Returns the profile function of a flavour. */
static Py_tracefunc function_of(enum pinsight_flavour flavour) {
    return PINSIGHT_VARIANT(profile, flavour);
}

static int forward_to_current(PyFrameObject *frame, int what, PyObject *argument,
                              enum pinsight_flavour flavour) {
    bool another = installed && installed != function_of(flavour);
    return another ? installed(NULL, frame, what, argument) : 0;
}

void pinsight_profile_report(int what, PyObject *callable) {
    PyObject *type, *value, *traceback;
    if (!pinsight_profile_is_ours(pinsight_profile_hook_own()))
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    if (frame)
        installed(NULL, frame, what, callable);
    PyErr_Restore(type, value, traceback);
}

/* Removes our function, and no other, from every thread. */
static void uninstall_everywhere(void) {
    pinsight_profile_hook_take(installed);
    installed = NULL;
}

int pinsight_observe_start(enum pinsight_mode mode) {
    Py_tracefunc wanted = function_of(mode == PINSIGHT_MODE_MONITORING ? PINSIGHT_COUNT
                                      : pinsight_python.registry       ? PINSIGHT_REGISTRY
                                                                       : PINSIGHT_INLINE);
    if (installed != wanted)
        uninstall_everywhere();
    installed = wanted;
    pinsight_profiler_replaced_start();
    pinsight_profile_hook_put(installed);
    pinsight_waits_watch_new_threads(true);
    return 0;
}

void pinsight_observe_stop(bool release) {
    (void)release;
    if (!pinsight_python.active)
        pinsight_profile_hook_end(installed);
    pinsight_waits_watch_new_threads(false);
    uninstall_everywhere();
}

#endif
