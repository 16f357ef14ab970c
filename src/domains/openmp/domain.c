/* The OpenMP domain as a whole; see domain.h. */
#include "domains/openmp/domain.h"

#include "core/control.h"
#include "core/info.h"
#include "core/log.h"
#include "core/mode.h"
#include "core/resolve.h"
#include "core/settings.h"
#include "core/watchdog.h"
#include "describe/openmp.h"
#include "domains/openmp/count.h"
#include "domains/openmp/pause.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason);
static void settings_changed(struct pinsight_domain *domain);
static uint64_t in_line(struct pinsight_domain *domain);
static void rotated(struct pinsight_domain *domain);
static void fork_child(struct pinsight_domain *domain, struct pinsight_thread *thread);

struct pinsight_domain pinsight_openmp_domain = {
    .name = "OpenMP",
    .punit_kinds = pinsight_openmp_punit_kinds,
    .events = pinsight_openmp_event_kinds,
    .event_count = sizeof pinsight_openmp_event_kinds / sizeof *pinsight_openmp_event_kinds,
    .apply_mode = apply_mode,
    .settings_changed = settings_changed,
    .in_line = in_line,
    .pause = pinsight_omp_pause,
    .go_on = pinsight_omp_go_on,
    .rotated = rotated,
    .thread_end = pinsight_omp_thread_end,
    .thread_free = pinsight_omp_thread_free,
    .fork_child = fork_child,
};

_Static_assert(sizeof pinsight_openmp_event_kinds / sizeof *pinsight_openmp_event_kinds ==
                   PINSIGHT_OMP_KINDS,
               "settings.h has the kinds of src/events/openmp.json");

ompt_get_task_info_t pinsight_omp_task_info;

/* Serialises what brings the runtime into line; and whether there is one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ompt_set_callback_t set_callback; /* NULL without a runtime that listens to us */
static _Atomic bool declined;            /* it was told for good that we do not listen */
static _Atomic uint64_t line_ns;
static _Atomic int applied; /* enum pinsight_mode */
static char runtime_name[128];

/* What threads that ended lost and dropped, and what all recorded. Under the lock a thread that
 * ends is counted once, here or with the threads. */
static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t ended_lost, ended_dropped, ended_outside, recorded_bytes;
static _Atomic bool size_limit_reached;

/* ---- what is in the trace about the domain ---- */

void pinsight_omp_describe(void) {
    static _Atomic uint32_t recorded; /* generation */
    uint32_t generation = pinsight_generation();
    if (!pinsight_info_enabled() || !set_callback ||
        atomic_exchange(&recorded, generation) == generation)
        return;
    char selection[512], events[256] = "";
    pinsight_resolve_selection(&pinsight_openmp_domain, PINSIGHT_OMP_THREADS, selection,
                               sizeof selection);
    for (unsigned kind = 0; kind < PINSIGHT_OMP_KINDS; kind++) {
        size_t length = strlen(events);
        if (pinsight_omp_kind_is_on(kind))
            snprintf(events + length, sizeof events - length, "%s%s", length ? "," : "",
                     pinsight_openmp_event_kinds[kind].name);
    }
    pinsight_info_domain(&pinsight_openmp_domain, runtime_name, "OMPT", *events ? events : "none",
                         selection);
}

void pinsight_omp_heard(struct pinsight_omp_thread *thread) {
    thread->heard = pinsight_record_openmp_parallel_begin_enabled();
    if (thread->heard ? pinsight_info_session_came() : pinsight_info_sessions_changed()) {
        pinsight_info_again();
        pinsight_omp_describe();
    }
}

/* What a thread counted goes to `sum`, and is not with the thread any more. */
static void move(_Atomic uint64_t *sum, _Atomic uint64_t *from) {
    atomic_fetch_add(sum, atomic_load(from));
    atomic_store(from, 0);
}

void pinsight_omp_add_totals(struct pinsight_omp_thread *thread) {
    pthread_mutex_lock(&totals_lock);
    move(&ended_lost, &thread->lost_frames);
    move(&ended_dropped, &thread->dropped_ends);
    move(&ended_outside, &thread->outside);
    move(&recorded_bytes, &thread->bytes);
    pthread_mutex_unlock(&totals_lock);
}

void pinsight_omp_account(struct pinsight_omp_thread *thread) {
    uint64_t bytes = atomic_load(&thread->bytes);
    uint64_t total = atomic_fetch_add(&recorded_bytes, bytes) + bytes;
    atomic_store(&thread->bytes, 0);
    if (!pinsight_process.max_size || total < pinsight_process.max_size ||
        atomic_exchange(&size_limit_reached, true))
        return;
    /* Not here: a thread of the runtime may hold what a change of mode needs. */
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_MODE,
                                   .reason = "size_limit",
                                   .mode_count = 1,
                                   .modes = {{&pinsight_openmp_domain, PINSIGHT_MODE_MONITORING}}};
    pinsight_control_tell(&order);
}

/* Counts of threads that are at work are read as they are: a little may be missing. */
static void sum(struct pinsight_thread *core, void *data) {
    struct pinsight_totals *totals = data;
    struct pinsight_omp_thread *thread = core->state[pinsight_openmp_domain.slot];
    if (!thread)
        return;
    totals->lost_frames += atomic_load(&thread->lost_frames);
    totals->dropped_ends += atomic_load(&thread->dropped_ends);
    totals->outside += atomic_load(&thread->outside);
    totals->bytes += atomic_load(&thread->bytes);
}

static void write_accounts(void) {
    pinsight_omp_count_flush();
    pthread_mutex_lock(&totals_lock);
    struct pinsight_totals totals = {
        .lost_frames = atomic_load(&ended_lost),
        .dropped_ends = atomic_load(&ended_dropped),
        .outside = atomic_load(&ended_outside),
        .bytes = atomic_load(&recorded_bytes),
        .size_limit_reached = atomic_load(&size_limit_reached),
    };
    pinsight_thread_each(sum, &totals);
    pthread_mutex_unlock(&totals_lock);
    pinsight_info_totals(&pinsight_openmp_domain, &totals);
}

/* ---- modes ---- */

/* The lock is held. */
static void come_into_line(void) {
    enum pinsight_mode mode = pinsight_domain_mode(&pinsight_openmp_domain);
    pinsight_omp_settings_take();
    if (set_callback)
        pinsight_omp_register(set_callback, mode);
    atomic_store(&applied, (int)mode);
    atomic_store(&line_ns, pinsight_clock_ns());
}

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason) {
    (void)reason;
    enum pinsight_mode mode = pinsight_domain_mode(domain);
    if (atomic_load(&declined) && mode != PINSIGHT_MODE_OFF) {
        atomic_store(&domain->refusal,
                     "OpenMP was OFF when its runtime started, which does not ask again; start the "
                     "program with STANDBY");
        return -1;
    }
    if (mode == PINSIGHT_MODE_TRACING && atomic_load(&size_limit_reached)) {
        atomic_store(&domain->refusal, "the trace is as large as --max-size lets it be");
        return -1;
    }
    pthread_mutex_lock(&lock);
    come_into_line();
    pthread_mutex_unlock(&lock);
    if (from >= PINSIGHT_MODE_MONITORING)
        write_accounts();
    return 0;
}

static void settings_changed(struct pinsight_domain *domain) {
    (void)domain;
    pthread_mutex_lock(&lock);
    come_into_line();
    pthread_mutex_unlock(&lock);
}

static uint64_t in_line(struct pinsight_domain *domain) {
    uint64_t then = atomic_load(&line_ns);
    if (!then)
        return 1;
    return atomic_load(&applied) == (int)pinsight_domain_mode(domain) &&
                   atomic_load(&pinsight_omp_settings.generation) == pinsight_settings_generation()
               ? then
               : 0;
}

static void rotated(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_omp_describe();
    write_accounts();
}

/* ---- start and end ---- */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device;
    (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (!set)
        return 0;
    pinsight_clock_start();
    pinsight_omp_lossless = pinsight_process.lossless;
    pthread_mutex_lock(&lock);
    pinsight_omp_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set_callback = set;
    come_into_line();
    pthread_mutex_unlock(&lock);
    pinsight_watchdog_start();
    pinsight_control_take_signal();
    pinsight_control_start();
    pinsight_info_sessions_changed(); /* those that listen now have the definitions */
    return 1;
}

/* The runtime ends, perhaps because it is unloaded: it is not to be called any more. */
static void finalize(ompt_data_t *data) {
    (void)data;
    struct pinsight_omp_thread *thread = pinsight_omp_thread_there();
    pthread_mutex_lock(&lock);
    set_callback = NULL;
    pinsight_omp_task_info = NULL;
    pinsight_omp_unregister();
    pthread_mutex_unlock(&lock);
    if (thread) {
        pinsight_omp_close_lost(thread, &thread->outside_all);
        pinsight_omp_close_opens(thread);
    }
    if (pinsight_domain_mode(&pinsight_openmp_domain) >= PINSIGHT_MODE_MONITORING)
        write_accounts();
}

/* The runtime asks whether we listen (OpenMP 5.1, 4.2.1). More than once, where it is unloaded and
 * loaded again. */
PINSIGHT_API ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name);
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name) {
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    static struct pinsight_log_once wrong = PINSIGHT_LOG_ONCE_INIT;
    char error[1024];
    (void)version;
    if (pinsight_settings_start(error, sizeof error) != 0) {
        pinsight_log_once(&wrong, "%s; OpenMP is not traced", error);
        return NULL;
    }
    snprintf(runtime_name, sizeof runtime_name, "%.120s", name && *name ? name : "OpenMP");
    /* A domain that is OFF and not there any more is no reason to talk to LTTng. */
    if (pinsight_domain_register(&pinsight_openmp_domain) != 0)
        return NULL;
    if (pinsight_domain_mode(&pinsight_openmp_domain) == PINSIGHT_MODE_OFF) {
        atomic_store(&declined, true);
        return NULL;
    }
    pinsight_process_start();
    return &result;
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_thread *thread) {
    (void)domain;
    (void)thread;
    lock = totals_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&ended_lost, 0);
    atomic_store(&ended_dropped, 0);
    atomic_store(&ended_outside, 0);
    atomic_store(&recorded_bytes, 0);
    atomic_store(&size_limit_reached, false);
    pinsight_omp_thread_fork_child();
    pinsight_omp_lexgion_fork_child();
    pinsight_omp_count_fork_child();
    pinsight_omp_pause_fork_child();
}
