/* The MPI domain as a whole; see domain.h. */
#include "domains/mpi/domain.h"

#include "core/info.h"
#include "describe/mpi.h"
#include "domains/mpi/comm.h"
#include "domains/mpi/flavour.h"
#include "domains/mpi/request.h"
#include "domains/mpi/thread.h"
#include "record/mpi.h"

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason);
static void settings_changed(struct pinsight_domain *domain);
static void come_into_line(void);
static void rotated(struct pinsight_domain *domain);
static void fork_child(struct pinsight_domain *domain, struct pinsight_thread *thread);

struct pinsight_domain pinsight_mpi_domain = {
    .name = "MPI",
    .punit_kinds = pinsight_mpi_punit_kinds,
    .events = pinsight_mpi_event_kinds,
    .event_count = sizeof pinsight_mpi_event_kinds / sizeof *pinsight_mpi_event_kinds,
    .apply_mode = apply_mode,
    .settings_changed = settings_changed,
    .pause = settings_changed,
    .go_on = settings_changed,
    .rotated = rotated,
    .thread_end = pinsight_mpi_thread_end,
    .thread_free = pinsight_mpi_thread_free,
    .fork_child = fork_child,
};

struct pinsight_native pinsight_mpi_native = {
    .domain = &pinsight_mpi_domain,
    .table = &pinsight_mpi_lexgions,
    .define = pinsight_mpi_lexgion_define,
    .is_inner = pinsight_mpi_is_library,
    .describe = pinsight_mpi_describe,
    .come_into_line = come_into_line,
    PINSIGHT_NATIVE_INIT,
};

_Static_assert(sizeof pinsight_mpi_event_kinds / sizeof *pinsight_mpi_event_kinds ==
                   PINSIGHT_MPI_KINDS,
               "settings.h has the kinds of src/events/mpi.json");

uint32_t pinsight_mpi_rank = PINSIGHT_MPI_NO_RANK;
_Atomic bool pinsight_mpi_is_ready;

static struct pinsight_mpi_library library;
static uint32_t world_size;

void pinsight_mpi_describe(void) {
    if (!atomic_load(&pinsight_mpi_is_ready) ||
        !pinsight_native_describe(&pinsight_mpi_native, library.version, "PMPI",
                                  atomic_load(&pinsight_mpi_kinds), PINSIGHT_MPI_RANKS) ||
        !pinsight_record_mpi_mpi_info_enabled())
        return;
    uint64_t before = pinsight_info_before();
    pinsight_record_mpi_mpi_info(pinsight_process.pid, pinsight_mpi_rank, world_size,
                                 library.flavour, library.version, library.standard,
                                 library.thread_level);
    pinsight_info_after(before);
}

/* ---- modes ---- */

static void come_into_line(void) {
    pinsight_mpi_settings_take();
    pinsight_mpi_lead_calls();
}

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason) {
    (void)reason;
    int result = pinsight_native_apply_mode(&pinsight_mpi_native, from);
    if (result == 0 &&
        (from == PINSIGHT_MODE_TRACING || pinsight_domain_mode(domain) == PINSIGHT_MODE_TRACING))
        pinsight_mpi_request_forget();
    return result;
}

static void settings_changed(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_native_settings_changed(&pinsight_mpi_native);
}

static void rotated(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_native_rotated(&pinsight_mpi_native);
}

/* ---- start and end ---- */

int pinsight_mpi_domain_start(void) {
    if (pinsight_native_register(&pinsight_mpi_native) != 0)
        return -1;
    pinsight_native_start(&pinsight_mpi_native);
    return 0;
}

void pinsight_mpi_initialized(void) {
    uint32_t rank;
    pthread_mutex_lock(&pinsight_mpi_native.lock);
    bool first = !atomic_load(&pinsight_mpi_is_ready);
    if (first) {
        pinsight_mpi_flavour_world(&rank, &world_size);
        pinsight_mpi_rank = rank;
        pinsight_mpi_flavour_library(&library);
        atomic_store(&pinsight_mpi_settings_generation, 0); /* which rank this is, is known now */
        pinsight_mpi_settings_take();
        atomic_store(&pinsight_mpi_is_ready, true);
    }
    pthread_mutex_unlock(&pinsight_mpi_native.lock);
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
    pinsight_native_ends(&pinsight_mpi_native);
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_thread *thread) {
    (void)domain;
    (void)thread;
    pinsight_native_fork_child(&pinsight_mpi_native);
}
