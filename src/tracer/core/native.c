/* The common part of domains of native code; see native.h. */
#include "tracer/core/native.h"

#include "tracer/core/control.h"
#include "tracer/core/info.h"
#include "tracer/core/mode.h"
#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/core/signals.h"
#include "tracer/core/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the domain's description in the trace ---- */

bool pinsight_native_describe(struct pinsight_native *native, const char *runtime,
                              const char *mechanism, unsigned punit) {
    uint32_t session_version = pinsight_session_version();
    if (!pinsight_info_enabled() ||
        atomic_exchange(&native->described, session_version) == session_version)
        return false;
    char selection[512];
    pinsight_resolve_selection(native->engine.domain, punit, selection, sizeof selection);
    pinsight_engine_describe(&native->engine, runtime, mechanism, selection);
    return true;
}

void pinsight_native_listeners_changed(struct pinsight_native *native,
                                       struct pinsight_native_thread *thread, bool listened) {
    thread->listened = listened;
    if (listened ? pinsight_info_session_came() : pinsight_info_sessions_changed()) {
        pinsight_info_redefine();
        native->describe();
    }
}

/* ---- accounts ---- */

void pinsight_native_account(struct pinsight_native *native,
                             struct pinsight_native_thread *thread) {
    if (!pinsight_engine_account(&native->engine, &thread->engine))
        return;
    /* The change of mode is left to the control thread: a thread of the runtime may hold a lock
     * that the change needs. */
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_MODE,
                                   .reason = "size_limit",
                                   .mode_count = 1,
                                   .modes = {{native->engine.domain, PINSIGHT_MODE_MONITORING}}};
    pinsight_control_send(&order);
}

/* ---- modes ---- */

int pinsight_native_apply_mode(struct pinsight_native *native, enum pinsight_mode from) {
    if (pinsight_domain_mode(native->engine.domain) == PINSIGHT_MODE_TRACING &&
        pinsight_engine_is_full(&native->engine)) {
        atomic_store(&native->engine.domain->refusal, PINSIGHT_REFUSAL_FULL);
        return -1;
    }
    pinsight_native_settings_changed(native);
    if (from >= PINSIGHT_MODE_MONITORING)
        pinsight_engine_write_accounts(&native->engine);
    return 0;
}

void pinsight_native_settings_changed(struct pinsight_native *native) {
    pthread_mutex_lock(&native->lock);
    native->apply_settings();
    pthread_mutex_unlock(&native->lock);
}

void pinsight_native_rotated(struct pinsight_native *native) {
    native->describe();
    pinsight_engine_write_accounts(&native->engine);
}

void pinsight_native_wait(struct pinsight_native *native, struct pinsight_native_thread *thread) {
    uint64_t waited = pinsight_thread_wait(native->engine.domain, thread->engine.core);
    pinsight_count_exclude(&thread->engine, waited);
}

/* ---- start and end ---- */

int pinsight_native_register(struct pinsight_native *native) {
    char error[1024];
    if (pinsight_settings_start(error, sizeof error) != 0) {
        pinsight_log_once(&native->no_settings, "%s; %s is not traced", error,
                          native->engine.domain->name);
        return -1;
    }
    return pinsight_domain_register(native->engine.domain);
}

void pinsight_native_start(struct pinsight_native *native) {
    pinsight_process_start();
    pinsight_clock_start();
    native->engine.lossless = pinsight_process.lossless;
    pinsight_native_settings_changed(native);
    pinsight_watchdog_start();
    pinsight_signals_take();
    pinsight_control_start();
    pinsight_info_sessions_changed(); /* sessions that listen now have the definitions */
}

void pinsight_native_ends(struct pinsight_native *native) {
    if (pinsight_domain_mode(native->engine.domain) >= PINSIGHT_MODE_MONITORING)
        pinsight_engine_write_accounts(&native->engine);
}

void pinsight_native_thread_seen(struct pinsight_native *native,
                                 struct pinsight_native_thread *thread, uint32_t number) {
    struct pinsight_core_thread *core = thread->engine.core;
    if (core->python_thread_id < 0 && !*core->name) {
        char name[32];
        if (core->tid == (uint32_t)pinsight_process.pid)
            snprintf(name, sizeof name, "main");
        else
            snprintf(name, sizeof name, "%.16s-%u", native->engine.domain->name, (unsigned)number);
        pinsight_info_thread(core, name);
    }
    native->describe();
    pinsight_watchdog_start(); /* a forked child has no watchdog */
    pinsight_control_start();  /* and no control thread */
}

void pinsight_native_fork_child(struct pinsight_native *native) {
    native->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pinsight_engine_fork_child(&native->engine);
    native->table->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
