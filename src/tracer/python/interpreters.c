/* Interpreters beside the main one; see interpreters.h. */
#include "tracer/python/interpreters.h"

#include "tracer/core/info.h"
#include "tracer/python/cpython/new_interpreter.h"
#include "tracer/record/python.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void record(uint32_t number, bool own_gil, bool recorded) {
    struct pinsight_core_thread *core = pinsight_thread_get();
    if (!core || !pinsight_record_python_interpreter_info_enabled())
        return;
    uint64_t before = pinsight_info_before();
    pinsight_record_python_interpreter_info(number, own_gil, recorded);
    pinsight_info_after(before);
}

/* ---- interpreters that are not recorded ---- */

static _Atomic uint32_t unseen;
static uint32_t parents; /* number of those that a forked child's parent had */

/* Records their number, if that is all that is known. */
static void describe_unseen(void) {
    uint32_t count = atomic_load(&unseen) - parents;
    if (count > 0)
        record(count, false, false);
}

#if PINSIGHT_HAS_MONITORING && !PINSIGHT_IS_PLAIN

#include "tracer/python/balance.h"
#include "tracer/python/callable.h"
#include "tracer/python/code.h"
#include "tracer/python/exception_counts.h"
#include "tracer/python/monitoring.h"
#include "tracer/python/stack_suspend.h"

struct pinsight_interpreter {
    PyInterpreterState *state;
    struct pinsight_interpreter *next;
    uint32_t number; /* number in the trace, from 1 */
    bool own_gil;
    uint32_t applied;   /* `version` of the last settings; 0: none yet */
    uint32_t inherited; /* executions that a forked child has from its parent */
    struct pinsight_monitoring_tool tool;
    struct pinsight_callables *callables;
};

/* The existing interpreters. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_interpreter *all;

/* Increases with every change of the main interpreter's settings or mode. */
static _Atomic uint32_t version = 1;

static struct pinsight_interpreter *find(const PyInterpreterState *state) {
    pthread_mutex_lock(&lock);
    struct pinsight_interpreter *interpreter = all;
    while (interpreter && interpreter->state != state)
        interpreter = interpreter->next;
    pthread_mutex_unlock(&lock);
    return interpreter;
}

/* ---- the states of threads ---- */

bool pinsight_interpreter_holds(const struct pinsight_python_thread *thread) {
    const struct pinsight_interpreter *here = pinsight_interpreter_here();
    const struct pinsight_interpreter *its = atomic_load(&thread->interpreter);
    if (thread->home && !its)
        return false; /* its interpreter has ended */
    bool own = (here && here->own_gil) || (its && its->own_gil);
    return !own || here == its;
}

/* Returns another state of this thread: one whose interpreter has ended, or a new one. */
static struct pinsight_python_thread *state_new(struct pinsight_python_thread *home,
                                                struct pinsight_interpreter *interpreter) {
    struct pinsight_python_thread *thread = (struct pinsight_python_thread *)home->engine.more;
    while (thread && atomic_load(&thread->interpreter))
        thread = (struct pinsight_python_thread *)thread->engine.more;
    if (!thread && !(thread = pinsight_python_thread_new_in(home)))
        return NULL;
    thread->callables = interpreter->callables;
    /* The state has cached nothing of this interpreter. */
    thread->callee_version = pinsight_callable_version - 1;
    thread->inherited = interpreter->inherited;
    interpreter->inherited = 0;
    atomic_store(&thread->interpreter, interpreter);
    pinsight_python_thread_place(thread);
    if (pinsight_record_python_interpreter_thread_enabled())
        pinsight_record_python_interpreter_thread(interpreter->number, thread->number);
    return thread;
}

static struct pinsight_python_thread *state_in(struct pinsight_python_thread *home,
                                               const PyInterpreterState *state) {
    struct pinsight_engine_thread *at = home->engine.more;
    for (; at; at = at->more) {
        struct pinsight_python_thread *thread = (struct pinsight_python_thread *)at;
        struct pinsight_interpreter *interpreter =
            atomic_load_explicit(&thread->interpreter, memory_order_relaxed);
        if (interpreter && interpreter->state == state)
            return thread;
    }
    struct pinsight_interpreter *interpreter = find(state);
    return interpreter ? state_new(home, interpreter) : NULL;
}

/* Like pinsight_interpreter_visit(), whether anything is recorded or not. */
static struct pinsight_python_thread *visit(void) {
    struct pinsight_python_thread *home = pinsight_python_thread();
    if (PINSIGHT_UNLIKELY(home && home->home))
        home = home->home;
    struct pinsight_python_thread *thread = home ? state_in(home, PyInterpreterState_Get()) : NULL;
    if (PINSIGHT_UNLIKELY(!thread))
        return NULL;
    pinsight_tls()->domains[pinsight_python_domain.slot] = thread;
    return home;
}

struct pinsight_python_thread *pinsight_interpreter_visit(void) {
    struct pinsight_python_thread *home = visit();
    if (PINSIGHT_LIKELY(!home || pinsight_python.observing))
        return home;
    PyObject *error = PyErr_GetRaisedException();
    pinsight_interpreter_catch_up(pinsight_interpreter_here());
    PyErr_SetRaisedException(error);
    pinsight_interpreter_visited(home);
    return NULL;
}

static void close_thread(struct pinsight_core_thread *core, void *interpreter) {
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core) {
        if (atomic_load(&thread->interpreter) == interpreter)
            pinsight_stack_close_thread(thread);
    }
}

static void count_thread(struct pinsight_core_thread *core, void *interpreter) {
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core) {
        if (atomic_load(&thread->interpreter) == interpreter)
            pinsight_exception_counts_end(thread);
    }
}

/* Unlike PINSIGHT_EACH_STATE(), this does not depend on the interpreter of the calling thread's
 * state, which changes here. */
static void forget_thread(struct pinsight_core_thread *core, void *interpreter) {
    struct pinsight_python_thread *thread = core->state[pinsight_python_domain.slot];
    for (; thread; thread = (struct pinsight_python_thread *)PINSIGHT_GET(thread->engine.more)) {
        if (atomic_load(&thread->interpreter) == interpreter)
            atomic_store(&thread->interpreter, NULL);
    }
}

/* ---- settings and modes ---- */

void pinsight_interpreter_catch_up(struct pinsight_interpreter *interpreter) {
    uint32_t now = atomic_load(&version);
    if (interpreter->applied == now)
        return; /* the main interpreter is first */
    interpreter->applied = now;
    if (pinsight_python.active && pinsight_python.observing &&
        pinsight_tool_start(&interpreter->tool, pinsight_python.applied) == 0)
        return;
    PyErr_Clear();
    pinsight_tool_stop(&interpreter->tool,
                       !pinsight_python.active || pinsight_python.applied == PINSIGHT_MODE_OFF);
    pinsight_thread_each(close_thread, interpreter);
}

/* A pending call of the interpreter in which it runs. */
static int catch_up(void *unused) {
    (void)unused;
    PyObject *error = PyErr_GetRaisedException();
    struct pinsight_python_thread *home = visit();
    if (home) {
        pinsight_interpreter_catch_up(pinsight_interpreter_here());
        pinsight_interpreter_visited(home);
    }
    PyErr_SetRaisedException(error);
    return 0;
}

void pinsight_interpreters_apply(void) {
    atomic_fetch_add(&version, 1);
    pthread_mutex_lock(&lock);
    for (struct pinsight_interpreter *at = all; at; at = at->next)
        pinsight_interpreter_call(at->state, catch_up);
    pthread_mutex_unlock(&lock);
}

/* ---- begin and end ---- */

/* Registered first, so that it runs after the program's own exit functions in that interpreter. No
 * other thread is in the interpreter any more. */
static PyObject *at_exit(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    struct pinsight_python_thread *home = visit();
    struct pinsight_interpreter *interpreter = home ? pinsight_interpreter_here() : NULL;
    if (!interpreter)
        Py_RETURN_NONE;
    pthread_mutex_lock(&lock);
    struct pinsight_interpreter **at = &all;
    while (*at != interpreter)
        at = &(*at)->next;
    *at = interpreter->next;
    pthread_mutex_unlock(&lock);
    pinsight_tool_stop(&interpreter->tool, true);
    pinsight_thread_each(close_thread, interpreter);
    pinsight_thread_each(count_thread, interpreter);
    pinsight_thread_each(forget_thread, interpreter);
    pinsight_interpreter_visited(home);
    pinsight_callables_free(interpreter->callables);
    free(interpreter);
    Py_RETURN_NONE;
}

static PyMethodDef at_exit_method = {"pinsight_at_exit", at_exit, METH_NOARGS, NULL};

static bool register_at_exit(void) {
    PyObject *module = PyImport_ImportModule("atexit");
    PyObject *function = module ? PyCFunction_New(&at_exit_method, NULL) : NULL;
    PyObject *result = function ? PyObject_CallMethod(module, "register", "O", function) : NULL;
    bool done = result != NULL;
    Py_XDECREF(result);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return done;
}

static void link_in(struct pinsight_interpreter *interpreter) {
    static uint32_t last; /* under the lock */
    pthread_mutex_lock(&lock);
    interpreter->number = ++last;
    interpreter->next = all;
    all = interpreter;
    pthread_mutex_unlock(&lock);
}

static void made(void) {
    PyInterpreterState *state = PyInterpreterState_Get();
    struct pinsight_interpreter *interpreter = find(state) ? NULL : calloc(1, sizeof *interpreter);
    if (!interpreter)
        return;
    *interpreter = (struct pinsight_interpreter){
        .state = state,
        .own_gil = pinsight_interpreter_has_own_gil(state),
        .tool.id = -1,
        .callables = pinsight_callables_new(),
    };
    if (!interpreter->callables || !pinsight_code_start_in_another() || !register_at_exit()) {
        PyErr_Clear();
        record(atomic_fetch_add(&unseen, 1) + 1 - parents, interpreter->own_gil, false);
        free(interpreter->callables);
        free(interpreter);
        return;
    }
    link_in(interpreter);
    record(interpreter->number, interpreter->own_gil, true);
    catch_up(NULL);
}

void pinsight_interpreters_start(void) {
    static bool started;
    if (!started)
        pinsight_interpreters_notice(made);
    started = true;
}

void pinsight_interpreters_describe(void) {
    pthread_mutex_lock(&lock);
    for (struct pinsight_interpreter *at = all; at; at = at->next)
        record(at->number, at->own_gil, true);
    pthread_mutex_unlock(&lock);
    describe_unseen();
}

void pinsight_interpreters_fork_child(struct pinsight_python_thread *home) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    parents = atomic_load(&unseen);
    for (; home; home = (struct pinsight_python_thread *)home->engine.more) {
        struct pinsight_interpreter *interpreter = atomic_load(&home->interpreter);
        if (interpreter)
            interpreter->inherited =
                home->depth + pinsight_stack_suspended_count(home) + home->inherited;
    }
}

#else

/* The interpreters' own numbers are consecutive. An audited operation of each running one is seen.
 */
static void made(void) {
    uint32_t count = (uint32_t)PyInterpreterState_GetID(PyInterpreterState_Get());
    uint32_t known = atomic_load(&unseen);
    while (count > known && !atomic_compare_exchange_weak(&unseen, &known, count))
        ;
    if (count > known)
        record(count - parents, false, false);
}

void pinsight_interpreters_start(void) {
    static bool started;
    if (!started)
        pinsight_interpreters_notice(made);
    started = true;
}

void pinsight_interpreters_describe(void) {
    describe_unseen();
}

void pinsight_interpreters_fork_child(struct pinsight_python_thread *home) {
    (void)home;
    parents = atomic_load(&unseen);
}

#endif
