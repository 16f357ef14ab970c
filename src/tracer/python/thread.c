/* The state of a thread in the Python domain; see thread.h. */
#include "tracer/python/thread.h"

#include "describe/python_kinds.h"
#include "tracer/core/control.h"
#include "tracer/core/mode.h"
#include "tracer/core/resolve.h"
#include "tracer/core/watchdog.h"
#include "tracer/python/balance.h"
#include "tracer/python/callable.h"
#include "tracer/python/cpython/thread_state.h"
#include "tracer/python/domain.h"
#include "tracer/python/exception_counts.h"
#include "tracer/python/gil.h"
#include "tracer/python/interpreters.h"
#include "tracer/python/process_choice.h"
#include "tracer/python/serial.h"
#include "tracer/python/stack_suspend.h"
#include "tracer/python/thread_name.h"
#include "tracer/python/thread_runs.h"
#include "tracer/python/waits.h"

#include <stdlib.h>

struct pinsight_core_thread *pinsight_python_core_thread(void) {
    struct pinsight_core_thread *core = pinsight_thread_get();
    if (core && core->python_thread_id < 0) {
        pinsight_thread_number(core);
        pinsight_info_thread(core, core->python_thread_id == 0 ? "MainThread" : NULL);
    }
    return core;
}

static struct pinsight_python_thread *thread_new(void) {
    struct pinsight_core_thread *core = pinsight_thread_get();
    struct pinsight_python_thread *thread = core ? core->state[pinsight_python_domain.slot] : NULL;
    pinsight_thread_show();
    if (!core || thread) {
        if (thread)
            pinsight_gil_record(thread);
        return thread;
    }
    thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
#if PINSIGHT_HAS_MONITORING
    pinsight_thread_state_find();
#endif
    thread->callables = &pinsight_callables_main;
    pinsight_python_thread_attach(thread, core);
    pinsight_gil_thread_seen(thread->tid);
    thread->inherited = pinsight_python_inherited(&thread->parents_import);
    thread->import_frame = thread->parents_import;
    thread->adopts = pinsight_python.adopts;
    thread->name_tries = thread->number == 0 ? thread->adopts : PINSIGHT_NAME_TRIES;
    pinsight_python_thread_place(thread);
    pinsight_info_thread(core, thread->number == 0 ? "MainThread" : NULL);
    pinsight_python_describe();
    if (thread->number > 0) {
        pinsight_waits_describe();
        pinsight_thread_runs_outermost(thread);
    }
    pinsight_watchdog_start(); /* a forked child has none */
    pinsight_control_start();  /* nor this thread */
    pinsight_gil_record(thread);
    return thread;
}

struct pinsight_python_thread *pinsight_python_thread_new(void) {
    pinsight_serial_begin();
    struct pinsight_python_thread *thread = thread_new();
    pinsight_serial_end();
    return thread;
}

struct pinsight_python_thread *pinsight_python_thread_new_in(struct pinsight_python_thread *home) {
    struct pinsight_python_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->home = home;
    thread->engine.core = home->engine.core;
    thread->tid = home->tid;
    thread->number = home->number;
    thread->engine.more = home->engine.more;
    __atomic_store_n(&home->engine.more, &thread->engine, __ATOMIC_RELEASE);
    return thread;
}

static struct pinsight_python_thread *held(struct pinsight_engine_thread *engine) {
    struct pinsight_python_thread *thread = (struct pinsight_python_thread *)engine;
    while (thread && !pinsight_interpreter_holds(thread))
        thread = (struct pinsight_python_thread *)PINSIGHT_GET(thread->engine.more);
    return thread;
}

/* Returns the next state. Those of other interpreters come first, the newest first, because their
 * open executions are within those of the main interpreter. */
static struct pinsight_python_thread *state_after(const struct pinsight_engine_thread *engine,
                                                  struct pinsight_python_thread *home) {
    struct pinsight_python_thread *thread = held(PINSIGHT_GET(engine->more));
    return thread ? thread : pinsight_interpreter_holds(home) ? home : NULL;
}

struct pinsight_python_thread *pinsight_python_state(const struct pinsight_core_thread *core) {
    struct pinsight_python_thread *home = core->state[pinsight_python_domain.slot];
    return home ? state_after(&home->engine, home) : NULL;
}

struct pinsight_python_thread *
pinsight_python_state_next(const struct pinsight_python_thread *thread) {
    return thread->home ? state_after(&thread->engine, thread->home) : NULL;
}

void pinsight_python_thread_place(struct pinsight_python_thread *thread) {
    thread->is_out_of_range =
        pinsight_process_is_excluded() ||
        !pinsight_resolve_in_range(&pinsight_python_domain, PINSIGHT_PYTHON_PUNIT_THREAD,
                                   (uint32_t)thread->number);
    thread->was_out_of_range = thread->was_out_of_range || thread->is_out_of_range;
    if (thread->is_out_of_range)
        PINSIGHT_PUT(pinsight_python.excludes, true);
    pinsight_python_thread_changed(thread);
}

void pinsight_python_account(struct pinsight_python_thread *thread) {
    pinsight_serial_begin();
    if (PINSIGHT_UNLIKELY(pinsight_info_sessions_changed()))
        pinsight_python_redefine();
    if (pinsight_engine_account(&pinsight_python.engine, &thread->engine))
        pinsight_domain_set_mode(&pinsight_python_domain, PINSIGHT_MODE_MONITORING, "size_limit");
    pinsight_serial_end();
}

#if PINSIGHT_HAS_GIL

void pinsight_python_timing(void) {
    pinsight_callback_timing(&pinsight_python.cost);
}

void pinsight_python_callbacks_account(void) {
}

static void account_callbacks(struct pinsight_python_thread *thread) {
    (void)thread;
}

#else

void pinsight_python_timing(void) {
    struct pinsight_python_thread *thread = pinsight_thread_domain(pinsight_python_domain.slot);
    struct pinsight_callback_cost *cost = &pinsight_python.cost;
    cost->period = thread->callbacks_period;
    pinsight_callback_timing(cost);
    thread->callbacks_left = cost->left;
    thread->callbacks_period = cost->period;
    cost->left = cost->period = 0; /* the threads have the remaining counts */
}

/* Adds the callbacks of the thread's current period to the process's. */
static void account_callbacks(struct pinsight_python_thread *thread) {
    int32_t left = PINSIGHT_GET(thread->callbacks_left);
    pinsight_python.cost.before += (uint64_t)(thread->callbacks_period - left);
    thread->callbacks_period = left;
}

static void account_thread(struct pinsight_core_thread *core, void *unused) {
    struct pinsight_python_thread *thread;
    (void)unused;
    PINSIGHT_EACH_STATE(thread, core)
    account_callbacks(thread);
}

void pinsight_python_callbacks_account(void) {
    pinsight_each_thread_stopped(account_thread, NULL);
}

#endif

/* Called without the GIL. Ends the entries, but frees no lexgion. Normally there are no entries. */
static void end(struct pinsight_python_thread *thread) {
    for (uint32_t i = 0; i < thread->depth; i++) {
        pinsight_lexgion_begun(pinsight_entry_lexgion(&thread->entries[i]));
        if (thread->entries[i].tag & PINSIGHT_ENTRY_C)
            pinsight_lexgion_begun(thread->entries[i].caller);
    }
    pinsight_stack_close_lost(thread, 0);
}

void pinsight_python_thread_end(struct pinsight_core_thread *core, void *state) {
    struct pinsight_python_thread *thread = state;
    (void)core;
    pinsight_gil_record_end(thread->tid);
    pinsight_serial_begin();
    for (; thread; thread = (struct pinsight_python_thread *)thread->engine.more) {
        account_callbacks(thread);
        end(thread);
        pinsight_exception_counts_end(thread);
    }
    pinsight_serial_end();
    pinsight_engine_thread_end(&pinsight_python.engine, state);
}

void pinsight_python_thread_free(void *state) {
    struct pinsight_python_thread *thread = state;
    while (thread) {
        struct pinsight_python_thread *more = (struct pinsight_python_thread *)thread->engine.more;
        free(thread->entries);
        free(thread->line_stack.entries);
        free(thread->runs);
        pinsight_stack_suspended_free(thread);
        pinsight_exception_counts_free(thread);
        free(thread);
        thread = more;
    }
}
