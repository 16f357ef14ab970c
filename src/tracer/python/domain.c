/* The Python domain; see domain.h. */
#include "tracer/python/domain.h"

#include "describe/python.h"
#include "tracer/core/clock.h"
#include "tracer/core/control.h"
#include "tracer/core/link.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/core/signals.h"
#include "tracer/core/watchdog.h"
#include "tracer/python/allocations.h"
#include "tracer/python/attach.h"
#include "tracer/python/balance.h"
#include "tracer/python/budget.h"
#include "tracer/python/callable.h"
#include "tracer/python/child_processes.h"
#include "tracer/python/code.h"
#include "tracer/python/code_owner.h"
#include "tracer/python/cpython/frozen_by_signal.h"
#include "tracer/python/cpython/gil_request.h"
#include "tracer/python/cpython/holds_gil.h"
#include "tracer/python/cpython/shared_functions.h"
#include "tracer/python/cpython/stopped_world.h"
#include "tracer/python/cpython/thread_state.h"
#include "tracer/python/exception_counts.h"
#include "tracer/python/exit_calls.h"
#include "tracer/python/finalisation_guard.h"
#include "tracer/python/fork_hooks.h"
#include "tracer/python/garbage.h"
#include "tracer/python/generators.h"
#include "tracer/python/gil.h"
#include "tracer/python/greenlets.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/lines.h"
#include "tracer/python/listen.h"
#include "tracer/python/locks.h"
#include "tracer/python/mode.h"
#include "tracer/python/operator_types.h"
#include "tracer/python/options.h"
#include "tracer/python/path.h"
#include "tracer/python/pause.h"
#include "tracer/python/process_choice.h"
#include "tracer/python/serial.h"
#include "tracer/python/signal.h"
#include "tracer/python/stack_suspend.h"
#include "tracer/python/task_hub.h"
#include "tracer/python/tasks.h"
#include "tracer/python/thread_runs.h"
#include "tracer/python/unseen_tasks.h"
#include "tracer/python/waits.h"
#include "tracer/python/watched.h"
#include "tracer/python/with_gil.h"
#include "tracer/python/without.h"
#include "tracer/record/python.h"

#include <string.h>

struct pinsight_python_settings pinsight_python = {.engine = PINSIGHT_PYTHON_ENGINE};

/* Set in a forked child of a free-threaded build in the plain form. It may wait forever for a stop
 * of all threads (stopped_world.h), which a change of settings and the accounts need. Callbacks
 * stay, and nothing is recorded. */
static bool left_alone;

static uint32_t inherited;
static void *inherited_import;

bool pinsight_python_listening(void) {
    if ((pinsight_python.imports && pinsight_record_python_import_begin_enabled()) ||
        (pinsight_python.gil && pinsight_record_python_gil_wait_enabled()) ||
        (pinsight_python.locks && pinsight_record_python_lock_wait_begin_enabled()) ||
        (pinsight_python.tasks && pinsight_record_python_task_switch_enabled()))
        return true;
    if (pinsight_python.garbage && pinsight_record_python_gc_begin_enabled())
        return true;
    if (pinsight_python.allocations && pinsight_record_python_allocated_enabled())
        return true;
    if (pinsight_python.exceptions && pinsight_record_python_exception_raised_enabled())
        return true;
    if (pinsight_python.lines && pinsight_record_python_line_measured_enabled())
        return true;
    if (pinsight_python.registry)
        return pinsight_record_python_begin_enabled() || pinsight_record_python_c_begin_enabled();
    return pinsight_record_python_function_begin_enabled() ||
           pinsight_record_python_c_call_begin_enabled();
}

void pinsight_python_describe(void) {
    static uint32_t recorded;              /* session version */
    static char selected[512];             /* the last recorded selection */
    static const char *recorded_operators; /* the last recorded suffix */
    char selection[sizeof selected], mechanism[64];
    const char *operators = pinsight_operator_types_missing();
    if (!pinsight_info_enabled())
        return;
    pinsight_code_owner_describe();
    pinsight_resolve_selection(&pinsight_python_domain, PINSIGHT_PYTHON_PUNIT_THREAD, selection,
                               sizeof selection);
    if (recorded == pinsight_session_version() && strcmp(selected, selection) == 0 &&
        recorded_operators == operators)
        return;
    recorded = pinsight_session_version();
    recorded_operators = operators;
    strcpy(selected, selection);
    char runtime[64];
    const char *version = Py_GetVersion();
    snprintf(runtime, sizeof runtime, "CPython %.*s", (int)strcspn(version, " "), version);
    snprintf(mechanism, sizeof mechanism, "%s%s", pinsight_python_mechanism, operators);
    pinsight_engine_describe(&pinsight_python.engine, runtime, mechanism, selection);
    pinsight_interpreters_describe();
}

static void write_accounts(void *unused) {
    (void)unused;
    pinsight_engine_write_accounts(&pinsight_python.engine);
}

void pinsight_python_write_accounts(void) {
    if (left_alone)
        return;
    pinsight_serial_begin();
    pinsight_python_callbacks_account();
    pinsight_alone(write_accounts, NULL); /* reads the stacks of other threads */
    pinsight_garbage_write();
    pinsight_allocations_write();
    pinsight_lines_write();
    pinsight_exception_counts_write();
    pinsight_serial_end();
}

void pinsight_python_leaving(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_domains_leaving();
    pinsight_child_processes_name();
    pinsight_unseen_tasks_report();
    pinsight_exception_counts_settle();
    pinsight_python_write_accounts();
    pinsight_recorded_report_all(true);
    PyErr_Restore(type, value, traceback);
}

void pinsight_python_redefine(void) {
    pinsight_serial_begin();
    pinsight_info_redefine();
    pinsight_python_describe();
    pinsight_thread_runs_describe();
    pinsight_serial_end();
}

uint32_t pinsight_python_inherited(void **import_frame) {
    uint32_t depth = inherited;
    inherited = 0;
    *import_frame = inherited_import;
    inherited_import = NULL;
    return depth;
}

/* ---- chunks ---- */

static void define_open(struct pinsight_core_thread *core, void *unused) {
    (void)unused;
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core) {
        for (uint32_t i = 0; i < thread->depth; i++) {
            pinsight_python_define(pinsight_entry_lexgion(&thread->entries[i]));
            if (thread->entries[i].tag & PINSIGHT_ENTRY_C)
                pinsight_python_define(thread->entries[i].caller);
        }
    }
}

/* Each chunk of a trace must be complete. Open executions are named again in the next chunk, and
 * counts are recorded in the chunk in which they arose. Therefore this function is called before
 * and after a rotation. */
static void write_remaining_accounts(void) {
    if (!pinsight_python.active)
        return;
    pinsight_python_write_accounts();
    pinsight_python_describe();
    pinsight_thread_runs_describe();
    pinsight_each_thread_stopped(define_open, NULL);
}

static void rotated(struct pinsight_domain *domain) {
    (void)domain;
    if (pinsight_python.active)
        pinsight_with_gil(write_remaining_accounts);
}

static void detach(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_with_gil(pinsight_python_detach);
}

/* ---- start and end ---- */

static PyObject *at_exit(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS pinsight_control_end();
    pinsight_path_end();
    pinsight_interpreter_shut();
    Py_END_ALLOW_THREADS pinsight_python_deactivate();
    pinsight_callables_let_go();
    Py_RETURN_NONE;
}

static PyMethodDef at_exit_method = {"pinsight_at_exit", at_exit, METH_NOARGS, NULL};

/* Registered first, so that it runs after the program's own exit functions, which are recorded. */
static int register_at_exit(void) {
    static bool done;
    if (done)
        return 0;
    PyObject *module = PyImport_ImportModule("atexit");
    PyObject *function = module ? PyCFunction_New(&at_exit_method, NULL) : NULL;
    PyObject *result = function ? PyObject_CallMethod(module, "register", "O", function) : NULL;
    done = result != NULL;
    Py_XDECREF(result);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return done ? 0 : -1;
}

void pinsight_python_note_stderr(void) {
    /* The interpreter checked at its start: sys.__stderr__ is None if there was no stderr. */
    if (PySys_GetObject("__stderr__") == Py_None)
        pinsight_log_without_stderr();
}

static int activate(const char *events, const char *names) {
    char error[1024];
    if (left_alone)
        return 0; /* the run has a mark for it (plain.h) */
    if (!pinsight_in_main_interpreter()) {
        if (pinsight_python.active)
            return 0; /* this interpreter is observed already */
        PyErr_SetString(PyExc_RuntimeError,
                        "activate() was called in a sub-interpreter: call it in the main one, "
                        "before this one is made");
        return -1;
    }
#if PINSIGHT_HAS_MONITORING
    pinsight_thread_state_find(); /* may release the GIL, because nothing is open yet */
#endif
    pinsight_python_note_stderr();
    if (pinsight_settings_start(error, sizeof error) != 0) {
        PyErr_SetString(PyExc_ValueError, error);
        return -1;
    }
    if (pinsight_python_override(events, names) != 0)
        return -1;

    pinsight_plain_say_why();
    pinsight_code_owner_start();
    pinsight_process_start();
    pinsight_clock_start();
    if (pinsight_code_start() != 0 || pinsight_callable_start() != 0 || register_at_exit() != 0 ||
        pinsight_fork_hooks_start(pinsight_python_apply_in_child) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "the interpreter has no room for the tracer");
        return -1;
    }
    if (pinsight_domain_register(&pinsight_python_domain) != 0) {
        PyErr_SetString(PyExc_RuntimeError, "no room for the Python domain");
        return -1;
    }
    pinsight_exit_calls_start();
    pinsight_child_processes_start();
    pinsight_process_choice_start();
    pinsight_shared_functions_start();
    pinsight_interpreters_start();
    pinsight_path_start();
    atomic_store(&pinsight_open, pinsight_stack_record_open);
    /* Arguments may have changed, and windows are opened anew after an end. */
    if (pinsight_python.engine.config_version && pinsight_python.active)
        pinsight_decision_version_next();
    else if (pinsight_python.engine.config_version)
        pinsight_window_version_next();
    pinsight_python.engine.config_version = 0;
    pinsight_python.engine.lossless = pinsight_process.lossless;
    pinsight_python.active = true;
    pinsight_watchdog_start();
    pinsight_python_take_settings();
    pinsight_python_thread();
    pinsight_signal_start();
    pinsight_signals_take();
    pinsight_control_start();
    pinsight_info_sessions_changed(); /* the current sessions have the definitions */
    pinsight_python_apply_settings();
    return 0;
}

int pinsight_python_activate(const char *events, const char *names) {
    pinsight_serial_begin();
    int status = activate(events, names);
    pinsight_serial_end();
    return status;
}

static void deactivate(void) {
    if (!pinsight_python.active)
        return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_python.active = false;
    pinsight_unseen_tasks_report();
    pinsight_garbage_watch(false);
    pinsight_operator_types_check();
    pinsight_operator_types_stop();
    pinsight_gil_end();
    pinsight_waits_apply(false);
    pinsight_tasks_watch(false);
    pinsight_observe_stop(true);
    pinsight_python.observing = false;
    pinsight_interpreters_apply();
    pinsight_stack_close_all();
    pinsight_child_processes_name();
    if (pinsight_info_sessions_changed())
        pinsight_python_redefine();
    pinsight_exception_counts_settle();
    pinsight_python_write_accounts();
    pinsight_allocations_count(PINSIGHT_ALLOCATIONS_OFF);
    pinsight_python.applied = PINSIGHT_MODE_OFF;
    PyErr_Restore(type, value, traceback);
}

void pinsight_python_deactivate(void) {
    pinsight_serial_begin();
    deactivate();
    pinsight_serial_end();
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *core) {
    pinsight_serial_fork_child();
    if (!pinsight_stopped_world_fork_child()) {
        left_alone = true;
        pinsight_python.active = false;
        pinsight_domain_request_mode(domain, PINSIGHT_MODE_OFF);
    }
    struct pinsight_python_thread *thread = core ? core->state[domain->slot] : NULL;
    inherited =
        thread ? thread->depth + pinsight_stack_suspended_count(thread) + thread->inherited : 0;
    inherited_import = thread ? thread->import_frame : NULL;
    if (thread)
        pinsight_stack_suspended_fork_child(thread);
    pinsight_interpreters_fork_child(thread);
    pinsight_gil_fork_child();
    pinsight_locks_fork_child();
    pinsight_tasks_fork_child();
    pinsight_task_hub_fork_child();
    pinsight_engine_fork_child(&pinsight_python.engine);
    pinsight_python.cost = (struct pinsight_callback_cost){0}; /* the parent's counts */
    pinsight_python.imported = pinsight_python.imported > 0;   /* noted, and not paid here */
    pinsight_budget_fork_child();
    pinsight_interpreter_fork_child();
    pinsight_with_gil_fork_child();
    pinsight_gil_request_fork_child();
    pinsight_garbage_fork_child();
    pinsight_allocations_fork_child();
    pinsight_lines_fork_child(thread);
    pinsight_exception_types_fork_child();
    pinsight_exception_counts_fork_child(thread);
    pinsight_listen_fork_child();
}

#if PINSIGHT_FREEZES_BY_SIGNALS

/* The interval of checks, which is the longest time for which threads may stop. */
#define SIGNAL_LOOK_NS 50000000u

static void have_gil(void) {
}

/* Called in the control thread. A signal that waits at two checks in a row may have stopped
 * threads. */
static uint64_t tend(struct pinsight_domain *domain) {
    static bool waited;
    bool waits = pinsight_python.active && pinsight_domain_mode(domain) > PINSIGHT_MODE_STANDBY &&
                 pinsight_signal_waits();
    if (waits && waited)
        pinsight_with_gil(have_gil);
    waited = waits;
    return pinsight_clock_ns() + SIGNAL_LOOK_NS;
}
#define TEND tend

#else
#define TEND NULL
#endif

struct pinsight_domain pinsight_python_domain = {
    PINSIGHT_PYTHON_TABLES,
    .record = PINSIGHT_RECORD_PYTHON_LINK,
    .apply_mode = pinsight_python_apply_mode,
    .settings_changed = pinsight_python_settings_changed,
    .applied_at = pinsight_python_applied_at,
    .rotated = rotated,
    .detach = detach,
    .tend = TEND,
    .fork_child = fork_child,
    .thread_end = pinsight_python_thread_end,
    .thread_free = pinsight_python_thread_free,
    /* Unwanted code is reported once more, so that a thread that runs nothing else also stops. */
    .pause = pinsight_python_settings_changed,
};
