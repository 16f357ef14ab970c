/* The MPI domain as a whole; see domain.h. */
#include "domains/mpi/domain.h"

#include "core/control.h"
#include "core/info.h"
#include "core/log.h"
#include "core/mode.h"
#include "core/resolve.h"
#include "core/settings.h"
#include "core/watchdog.h"
#include "describe/mpi.h"
#include "domains/mpi/comm.h"
#include "domains/mpi/count.h"
#include "domains/mpi/flavour.h"
#include "domains/mpi/pause.h"
#include "domains/mpi/request.h"
#include "domains/mpi/thread.h"
#include "record/mpi.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason);
static void settings_changed(struct pinsight_domain *domain);
static void rotated(struct pinsight_domain *domain);
static void fork_child(struct pinsight_domain *domain, struct pinsight_thread *thread);

struct pinsight_domain pinsight_mpi_domain = {
    .name = "MPI",
    .punit_kinds = pinsight_mpi_punit_kinds,
    .events = pinsight_mpi_event_kinds,
    .event_count = sizeof pinsight_mpi_event_kinds / sizeof *pinsight_mpi_event_kinds,
    .apply_mode = apply_mode,
    .settings_changed = settings_changed,
    .pause = pinsight_mpi_pause,
    .go_on = pinsight_mpi_go_on,
    .rotated = rotated,
    .thread_end = pinsight_mpi_thread_end,
    .thread_free = pinsight_mpi_thread_free,
    .fork_child = fork_child,
};

_Static_assert(sizeof pinsight_mpi_event_kinds / sizeof *pinsight_mpi_event_kinds ==
                   PINSIGHT_MPI_KINDS,
               "settings.h has the kinds of src/events/mpi.json");

uint32_t pinsight_mpi_rank = PINSIGHT_MPI_NO_RANK;
_Atomic bool pinsight_mpi_is_ready;

/* Serialises what brings the domain into line. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_mpi_library library;
static uint32_t world_size;

/* What threads that ended did not record, and what all recorded. */
static _Atomic uint64_t ended_outside, recorded_bytes;
static _Atomic bool size_limit_reached;

/* ---- what is in the trace about the domain ---- */

void pinsight_mpi_describe(void) {
    static _Atomic uint32_t recorded; /* generation */
    uint32_t generation = pinsight_generation();
    if (!pinsight_info_enabled() || !atomic_load(&pinsight_mpi_is_ready) ||
        atomic_exchange(&recorded, generation) == generation)
        return;
    char selection[512], events[256] = "";
    pinsight_resolve_selection(&pinsight_mpi_domain, PINSIGHT_MPI_RANKS, selection,
                               sizeof selection);
    for (unsigned kind = 0; kind < PINSIGHT_MPI_KINDS; kind++) {
        size_t length = strlen(events);
        if (pinsight_mpi_kind_is_on(kind))
            snprintf(events + length, sizeof events - length, "%s%s", length ? "," : "",
                     pinsight_mpi_event_kinds[kind].name);
    }
    pinsight_info_domain(&pinsight_mpi_domain, library.version, "PMPI", *events ? events : "none",
                         selection);
    if (!pinsight_record_mpi_mpi_info_enabled())
        return;
    uint64_t before = pinsight_info_before();
    pinsight_record_mpi_mpi_info(pinsight_process.pid, pinsight_mpi_rank, world_size,
                                 library.flavour, library.version, library.standard,
                                 library.thread_level);
    pinsight_info_after(before);
}

void pinsight_mpi_heard(struct pinsight_mpi_thread *thread) {
    thread->heard = pinsight_record_mpi_request_complete_enabled();
    if (thread->heard ? pinsight_info_session_came() : pinsight_info_sessions_changed()) {
        pinsight_info_again();
        pinsight_mpi_describe();
    }
}

void pinsight_mpi_add_totals(struct pinsight_mpi_thread *thread) {
    atomic_fetch_add(&ended_outside, thread->outside);
    atomic_fetch_add(&recorded_bytes, thread->bytes);
    thread->outside = 0;
    thread->bytes = 0;
}

void pinsight_mpi_account(struct pinsight_mpi_thread *thread) {
    uint64_t total = atomic_fetch_add(&recorded_bytes, thread->bytes) + thread->bytes;
    thread->bytes = 0;
    if (!pinsight_process.max_size || total < pinsight_process.max_size ||
        atomic_exchange(&size_limit_reached, true))
        return;
    struct pinsight_order order = {.kind = PINSIGHT_ORDER_MODE,
                                   .reason = "size_limit",
                                   .mode_count = 1,
                                   .modes = {{&pinsight_mpi_domain, PINSIGHT_MODE_MONITORING}}};
    pinsight_control_tell(&order);
}

/* Counts of threads that are at work are read as they are: a little may be missing. */
static void sum(struct pinsight_thread *core, void *data) {
    struct pinsight_totals *totals = data;
    struct pinsight_mpi_thread *thread = core->state[pinsight_mpi_domain.slot];
    if (!thread)
        return;
    totals->outside += __atomic_load_n(&thread->outside, __ATOMIC_RELAXED);
    totals->bytes += __atomic_load_n(&thread->bytes, __ATOMIC_RELAXED);
}

static void write_accounts(void) {
    pinsight_mpi_count_flush();
    struct pinsight_totals totals = {
        .outside = atomic_load(&ended_outside),
        .bytes = atomic_load(&recorded_bytes),
        .size_limit_reached = atomic_load(&size_limit_reached),
    };
    pinsight_thread_each(sum, &totals);
    pinsight_info_totals(&pinsight_mpi_domain, &totals);
}

/* ---- modes ---- */

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason) {
    (void)reason;
    enum pinsight_mode mode = pinsight_domain_mode(domain);
    if (mode == PINSIGHT_MODE_TRACING && atomic_load(&size_limit_reached)) {
        atomic_store(&domain->refusal, "the trace is as large as --max-size lets it be");
        return -1;
    }
    pthread_mutex_lock(&lock);
    pinsight_mpi_settings_take();
    pthread_mutex_unlock(&lock);
    if (from == PINSIGHT_MODE_TRACING || mode == PINSIGHT_MODE_TRACING)
        pinsight_mpi_request_forget();
    if (from >= PINSIGHT_MODE_MONITORING)
        write_accounts();
    return 0;
}

static void settings_changed(struct pinsight_domain *domain) {
    (void)domain;
    pthread_mutex_lock(&lock);
    pinsight_mpi_settings_take();
    pthread_mutex_unlock(&lock);
}

static void rotated(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_mpi_describe();
    write_accounts();
}

/* ---- start and end ---- */

int pinsight_mpi_domain_start(void) {
    static struct pinsight_log_once wrong = PINSIGHT_LOG_ONCE_INIT;
    char error[1024];
    if (pinsight_settings_start(error, sizeof error) != 0) {
        pinsight_log_once(&wrong, "%s; MPI is not traced", error);
        return -1;
    }
    if (pinsight_domain_register(&pinsight_mpi_domain) != 0)
        return -1;
    pinsight_process_start();
    pinsight_clock_start();
    pinsight_mpi_lossless = pinsight_process.lossless;
    settings_changed(&pinsight_mpi_domain);
    pinsight_watchdog_start();
    pinsight_control_take_signal();
    pinsight_control_start();
    pinsight_info_sessions_changed(); /* those that listen now have the definitions */
    return 0;
}

void pinsight_mpi_initialized(void) {
    uint32_t rank;
    pthread_mutex_lock(&lock);
    bool first = !atomic_load(&pinsight_mpi_is_ready);
    if (first) {
        pinsight_mpi_flavour_world(&rank, &world_size);
        pinsight_mpi_rank = rank;
        pinsight_mpi_flavour_library(&library);
        atomic_store(&pinsight_mpi_settings_generation, 0); /* which rank this is, is known now */
        pinsight_mpi_settings_take();
        atomic_store(&pinsight_mpi_is_ready, true);
    }
    pthread_mutex_unlock(&lock);
    if (!first)
        return;
    if (pinsight_process.rank < 0) {
        /* No launcher said it beforehand: from now on definitions have it. */
        pinsight_process.rank = (int32_t)rank;
        pinsight_info_again();
    }
    pinsight_mpi_describe();
    pinsight_mpi_comm_look(pinsight_mpi_flavour_comm_world());
    pinsight_mpi_comm_look(pinsight_mpi_flavour_comm_self());
}

void pinsight_mpi_finalizing(void) {
    atomic_store(&pinsight_mpi_is_ready, false);
    if (pinsight_domain_mode(&pinsight_mpi_domain) >= PINSIGHT_MODE_MONITORING)
        write_accounts();
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_thread *thread) {
    (void)domain;
    (void)thread;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&ended_outside, 0);
    atomic_store(&recorded_bytes, 0);
    atomic_store(&size_limit_reached, false);
    pinsight_mpi_lexgion_fork_child();
    pinsight_mpi_count_fork_child();
    pinsight_mpi_pause_fork_child();
}
