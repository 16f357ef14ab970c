/* What domains of native code have in common; see native.h. */
#include "core/native.h"

#include "core/control.h"
#include "core/info.h"
#include "core/mode.h"
#include "core/resolve.h"
#include "core/settings.h"
#include "core/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is in the trace about the domain ---- */

bool pinsight_native_describe(struct pinsight_native *native, const char *runtime,
                              const char *mechanism, uint64_t kinds, unsigned punit) {
    const struct pinsight_domain *domain = native->domain;
    uint32_t generation = pinsight_generation();
    if (!pinsight_info_enabled() || atomic_exchange(&native->described, generation) == generation)
        return false;
    char selection[512], events[256] = "";
    pinsight_resolve_selection(domain, punit, selection, sizeof selection);
    for (size_t kind = 0; kind < domain->event_count; kind++) {
        size_t length = strlen(events);
        if (kinds >> kind & 1)
            snprintf(events + length, sizeof events - length, "%s%s", length ? "," : "",
                     domain->events[kind].name);
    }
    pinsight_info_domain(native->domain, runtime, mechanism, *events ? events : "none", selection);
    return true;
}

void pinsight_native_heard(struct pinsight_native *native, struct pinsight_native_thread *thread,
                           bool heard) {
    thread->heard = heard;
    if (heard ? pinsight_info_session_came() : pinsight_info_sessions_changed()) {
        pinsight_info_again();
        native->describe();
    }
}

/* ---- accounts ---- */

/* What a thread counted goes to `sum`, and is not with the thread any more. */
static void move(_Atomic uint64_t *sum, _Atomic uint64_t *from) {
    atomic_fetch_add(sum, atomic_load(from));
    atomic_store(from, 0);
}

void pinsight_native_account(struct pinsight_native *native,
                             struct pinsight_native_thread *thread) {
    uint64_t bytes = atomic_load(&thread->bytes);
    uint64_t total = atomic_fetch_add(&native->recorded_bytes, bytes) + bytes;
    atomic_store(&thread->bytes, 0);
    if (!pinsight_process.max_size || total < pinsight_process.max_size ||
        atomic_exchange(&native->size_limit_reached, true))
        return;
    /* Not here: a thread of the runtime may hold what a change of mode needs. */
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_MODE,
                                   .reason = "size_limit",
                                   .mode_count = 1,
                                   .modes = {{native->domain, PINSIGHT_MODE_MONITORING}}};
    pinsight_control_tell(&order);
}

struct tally {
    struct pinsight_totals totals;
    unsigned slot;
};

/* Counts of threads that are at work are read as they are: a little may be missing. */
static void sum(struct pinsight_thread *core, void *data) {
    struct tally *tally = data;
    struct pinsight_native_thread *thread = core->state[tally->slot];
    if (!thread)
        return;
    tally->totals.lost_frames += atomic_load(&thread->lost_frames);
    tally->totals.dropped_ends += atomic_load(&thread->dropped_ends);
    tally->totals.outside += atomic_load(&thread->outside);
    tally->totals.bytes += atomic_load(&thread->bytes);
}

static void write_accounts(struct pinsight_native *native) {
    pinsight_native_count_flush(native);
    pthread_mutex_lock(&native->totals_lock);
    struct tally tally = {
        .totals = {.lost_frames = atomic_load(&native->ended_lost),
                   .dropped_ends = atomic_load(&native->ended_dropped),
                   .outside = atomic_load(&native->ended_outside),
                   .bytes = atomic_load(&native->recorded_bytes),
                   .size_limit_reached = atomic_load(&native->size_limit_reached)},
        .slot = native->domain->slot,
    };
    pinsight_thread_each(sum, &tally);
    pthread_mutex_unlock(&native->totals_lock);
    pinsight_info_totals(native->domain, &tally.totals);
}

/* ---- modes ---- */

int pinsight_native_apply_mode(struct pinsight_native *native, enum pinsight_mode from) {
    if (pinsight_domain_mode(native->domain) == PINSIGHT_MODE_TRACING &&
        atomic_load(&native->size_limit_reached)) {
        atomic_store(&native->domain->refusal, "the trace is as large as --max-size lets it be");
        return -1;
    }
    pinsight_native_settings_changed(native);
    if (from >= PINSIGHT_MODE_MONITORING)
        write_accounts(native);
    return 0;
}

void pinsight_native_settings_changed(struct pinsight_native *native) {
    pthread_mutex_lock(&native->lock);
    native->come_into_line();
    pthread_mutex_unlock(&native->lock);
}

void pinsight_native_rotated(struct pinsight_native *native) {
    native->describe();
    write_accounts(native);
}

void pinsight_native_wait(struct pinsight_native *native, struct pinsight_native_thread *thread) {
    uint64_t waited = pinsight_thread_wait(native->domain, thread->core);
    pinsight_native_count_leave_out(&thread->counts, waited);
}

/* ---- start and end ---- */

int pinsight_native_register(struct pinsight_native *native) {
    char error[1024];
    if (pinsight_settings_start(error, sizeof error) != 0) {
        pinsight_log_once(&native->no_settings, "%s; %s is not traced", error,
                          native->domain->name);
        return -1;
    }
    return pinsight_domain_register(native->domain);
}

void pinsight_native_start(struct pinsight_native *native) {
    pinsight_process_start();
    pinsight_clock_start();
    native->lossless = pinsight_process.lossless;
    pinsight_native_settings_changed(native);
    pinsight_watchdog_start();
    pinsight_control_take_signal();
    pinsight_control_start();
    pinsight_info_sessions_changed(); /* those that listen now have the definitions */
}

void pinsight_native_ends(struct pinsight_native *native) {
    if (pinsight_domain_mode(native->domain) >= PINSIGHT_MODE_MONITORING)
        write_accounts(native);
}

void pinsight_native_thread_met(struct pinsight_native *native,
                                struct pinsight_native_thread *thread, uint32_t number) {
    struct pinsight_thread *core = thread->core;
    if (core->python_thread_id < 0 && !*core->name) {
        char name[32];
        if (core->tid == (uint32_t)pinsight_process.pid)
            snprintf(name, sizeof name, "main");
        else
            snprintf(name, sizeof name, "%.16s-%u", native->domain->name, (unsigned)number);
        pinsight_info_thread(core, name);
    }
    native->describe();
    pinsight_watchdog_start(); /* a forked child has none, */
    pinsight_control_start();  /* nor this */
}

void pinsight_native_thread_end(struct pinsight_native *native,
                                struct pinsight_native_thread *thread) {
    pinsight_native_count_flush_thread(native, thread);
    pthread_mutex_lock(&native->totals_lock);
    move(&native->ended_lost, &thread->lost_frames);
    move(&native->ended_dropped, &thread->dropped_ends);
    move(&native->ended_outside, &thread->outside);
    move(&native->recorded_bytes, &thread->bytes);
    pthread_mutex_unlock(&native->totals_lock);
}

void pinsight_native_fork_child(struct pinsight_native *native) {
    native->lock = native->totals_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    native->count_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    atomic_store(&native->ended_lost, 0);
    atomic_store(&native->ended_dropped, 0);
    atomic_store(&native->ended_outside, 0);
    atomic_store(&native->recorded_bytes, 0);
    atomic_store(&native->size_limit_reached, false);
    pinsight_native_lexgion_fork_child(native->table);
}
