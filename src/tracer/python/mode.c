/* The mode and the settings of the interpreter; see mode.h. */
#include "tracer/python/mode.h"

#include "tracer/core/control.h"
#include "tracer/core/mode.h"
#include "tracer/core/settings.h"
#include "tracer/python/allocations.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/holds_gil.h"
#include "tracer/python/exception_counts.h"
#include "tracer/python/exceptions.h"
#include "tracer/python/finalisation_guard.h"
#include "tracer/python/garbage.h"
#include "tracer/python/generators.h"
#include "tracer/python/greenlets.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/listen.h"
#include "tracer/python/numba.h"
#include "tracer/python/operator_types.h"
#include "tracer/python/options.h"
#include "tracer/python/pause.h"
#include "tracer/python/serial.h"
#include "tracer/python/tasks.h"
#include "tracer/python/unseen_tasks.h"
#include "tracer/python/waits.h"
#include "tracer/python/watched.h"
#include "tracer/python/with_gil.h"

/* Time of the last change, of CLOCK_MONOTONIC. */
static _Atomic uint64_t applied_ns;

/* Called when a session may have begun to listen. Holds the GIL. */
static void listeners_changed(void) {
    if (pinsight_python.active) {
        pinsight_info_sessions_changed();
        pinsight_python_redefine();
        pinsight_python_apply_settings();
    }
}

static void update_thread(struct pinsight_core_thread *core, void *unused) {
    (void)unused;
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core)
    pinsight_python_thread_place(thread);
}

void pinsight_python_place_threads(void) {
    pinsight_serial_begin();
    pinsight_decision_version_next();
    pinsight_each_thread_stopped(update_thread, NULL);
    pinsight_serial_end();
}

void pinsight_python_take_settings(void) {
    uint32_t config_version = pinsight_config_version();
    if (pinsight_python.engine.config_version == config_version)
        return;
    pinsight_python_read_settings();
    pinsight_generators_forget();
    pinsight_python.engine.config_version = config_version;
    pinsight_each_thread_stopped(update_thread, NULL);
    if (pinsight_python.observing)
        pinsight_python_describe(); /* if the selection has changed */
}

/* First removes events, then closes open executions, then records counts. No event can occur in
 * between, because the GIL is held. */
static void apply_settings(void) {
    enum pinsight_mode mode = pinsight_domain_mode(&pinsight_python_domain);
    pinsight_python_take_settings();
    bool wanted = mode == PINSIGHT_MODE_TRACING      ? pinsight_python_listening()
                  : mode == PINSIGHT_MODE_MONITORING ? true
                                                     : false;
    bool any = pinsight_python.functions || pinsight_python.c_calls || pinsight_python.lines ||
               pinsight_exceptions_are_seen(mode) ||
               (mode == PINSIGHT_MODE_TRACING &&
                (pinsight_python.imports || pinsight_watched(PINSIGHT_WATCHED_SCHEDULE)));
    bool garbage = pinsight_python.garbage && mode >= PINSIGHT_MODE_MONITORING;
    enum pinsight_allocations allocations =
        mode >= PINSIGHT_MODE_MONITORING ? pinsight_python.allocations : PINSIGHT_ALLOCATIONS_OFF;
    enum pinsight_mode applied = pinsight_python.applied;

    pinsight_garbage_watch(wanted && garbage);
    pinsight_allocations_count(wanted ? allocations : PINSIGHT_ALLOCATIONS_OFF);
    pinsight_python.sees_c_calls = pinsight_python_looks_at_c_calls(mode);
    if (wanted)
        pinsight_greenlets_watch();
    if (wanted && pinsight_python.functions)
        pinsight_numba_watch();
    if (wanted && any) {
        if (pinsight_observe_start(mode) != 0) {
            PyErr_Clear();
            wanted = false;
        }
        pinsight_python.observing = wanted;
    } else {
        pinsight_observe_stop(mode == PINSIGHT_MODE_OFF);
        pinsight_python.observing = false;
        pinsight_stack_close_all();
    }
    if (pinsight_python.observing && pinsight_python.sees_c_calls)
        pinsight_operator_types_start(mode);
    else
        pinsight_operator_types_stop();
    pinsight_waits_apply(wanted && mode == PINSIGHT_MODE_TRACING);
    pinsight_tasks_watch(wanted && pinsight_python.tasks && mode == PINSIGHT_MODE_TRACING);
    pinsight_unseen_tasks_watch(wanted && mode == PINSIGHT_MODE_TRACING);
    if (!pinsight_python.observing || mode != PINSIGHT_MODE_TRACING)
        pinsight_generators_forget();
    pinsight_python.applied = mode;
    if (applied != mode)
        pinsight_each_thread_stopped(update_thread, NULL);
    if (applied != mode && applied >= PINSIGHT_MODE_MONITORING) {
        pinsight_exception_counts_settle();
        pinsight_python_write_accounts();
    }
    if (mode == PINSIGHT_MODE_TRACING && (any || garbage || allocations) &&
        !pinsight_python_listening())
        pinsight_listen_start(pinsight_python_listening, listeners_changed);
    pinsight_interpreters_apply();
    atomic_store(&applied_ns, pinsight_clock_ns());
}

void pinsight_python_apply_settings(void) {
    pinsight_serial_begin();
    apply_settings();
    pinsight_serial_end();
}

void pinsight_python_catch_up(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_pause_wait();
    pinsight_serial_begin();
    struct pinsight_interpreter *here = pinsight_interpreter_here();
    if (here)
        pinsight_interpreter_catch_up(here);
    else if (pinsight_python.active)
        apply_settings();
    pinsight_serial_end();
    PyErr_Restore(type, value, traceback);
}

uint64_t pinsight_python_applied_at(struct pinsight_domain *domain) {
    uint64_t then = atomic_load(&applied_ns);
    if (!pinsight_python.active)
        return then ? then : 1;
    return pinsight_python.applied == pinsight_domain_mode(domain) &&
                   pinsight_python.engine.config_version == pinsight_config_version()
               ? then
               : 0;
}

/* The work of a thread for others, with the GIL. */
static void apply(void) {
    if (pinsight_python.active)
        pinsight_python_apply_settings();
}

/* Returns whether this is not the main interpreter. Only the main one is observed, and changes for
 * it are made in it. */
static bool in_another_interpreter(void) {
    return pinsight_holds_gil() && !pinsight_in_main_interpreter();
}

int pinsight_python_apply_mode(struct pinsight_domain *domain, enum pinsight_mode from,
                               const char *reason) {
    (void)from;
    (void)reason;
    if (!pinsight_python.active)
        return 0; /* used at the start */
    if (pinsight_engine_is_full(&pinsight_python.engine) &&
        pinsight_domain_mode(domain) == PINSIGHT_MODE_TRACING) {
        atomic_store(&domain->refusal, PINSIGHT_REFUSAL_FULL);
        return -1;
    }
    if (pinsight_control_is_this() || in_another_interpreter()) {
        pinsight_with_gil(apply);
        return 0;
    }
    if (pinsight_holds_gil()) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        pinsight_python_apply_settings();
        PyErr_Restore(type, value, traceback);
        return 0;
    }
    if (!PINSIGHT_KNOWS_GIL) { /* it may be in another interpreter of the process */
        pinsight_with_gil(apply);
        return 0;
    }
    if (!pinsight_interpreter_enter()) {
        atomic_store(&domain->refusal, "the interpreter is ending");
        return -1;
    }
    PyGILState_STATE state = PyGILState_Ensure();
    pinsight_python_apply_settings();
    PyGILState_Release(state);
    pinsight_interpreter_leave();
    return 0;
}

void pinsight_python_settings_changed(struct pinsight_domain *domain) {
    (void)domain;
    if (pinsight_python.active)
        pinsight_with_gil(apply);
}

void pinsight_python_apply_in_child(void) {
    if (!pinsight_python.active)
        return;
    pinsight_python_apply_settings();
    pinsight_control_start();
}
