/* The whole MPI domain; see domain.h. */
#include "tracer/mpi/domain.h"

#include "describe/mpi.h"
#include "tracer/core/info.h"
#include "tracer/mpi/comm.h"
#include "tracer/mpi/flavour.h"
#include "tracer/mpi/request.h"
#include "tracer/mpi/thread.h"
#include "tracer/record/mpi.h"

#include <stdlib.h>

static void apply_settings(void);

struct pinsight_native pinsight_mpi_native = {
    PINSIGHT_NATIVE_INIT(&pinsight_mpi_domain, &pinsight_mpi_lexgions, pinsight_mpi_lexgion_define,
                         pinsight_mpi_describe, apply_settings),
    .is_inner = pinsight_mpi_is_library,
};

uint32_t pinsight_mpi_rank = PINSIGHT_MPI_NO_RANK;
_Atomic bool pinsight_mpi_is_ready;
uint64_t pinsight_mpi_traced;

static struct pinsight_mpi_library library;
static uint32_t world_size;

void pinsight_mpi_describe(void) {
    if (!atomic_load(&pinsight_mpi_is_ready) ||
        !pinsight_native_describe(&pinsight_mpi_native, library.version, "PMPI",
                                  PINSIGHT_MPI_PUNIT_RANK) ||
        !pinsight_record_mpi_mpi_info_enabled())
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_mpi_mpi_info(pinsight_process.pid, pinsight_mpi_rank,
                                                     world_size, library.flavour, library.version,
                                                     library.standard, library.thread_level));
}

/* ---- modes ---- */

static void apply_settings(void) {
    pinsight_mpi_settings_take();
    pinsight_mpi_direct_calls();
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

/* Finds the job and the processes that started it, from PMIx's name of the job and the variable of
 * spawn.c. */
static void take_job(void) {
    const char *told = getenv(PINSIGHT_MPI_PARENT);
    uint64_t parent = pinsight_mpi_flavour_comm_parent();
    uint64_t context = parent && told ? strtoull(told, NULL, 16) : 0;
    pinsight_mpi_comm_job(getenv("PMIX_NAMESPACE"), parent, context);
}

/* Reports a launcher of another MPI than the program's library. Each process is then alone in its
 * MPI_COMM_WORLD. Only the launcher's rank 0 reports. */
static void look_at_launcher(void) {
    static struct pinsight_log_once alone = PINSIGHT_LOG_ONCE_INIT;
    static const struct {
        const char *rank, *size, *whose;
    } launchers[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
        {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH's mpirun"},
        {"PMI_RANK", "PMI_SIZE", "the launcher (MPICH's mpirun, or one that speaks PMI)"},
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun"},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *rank = getenv(launchers[i].rank), *size = getenv(launchers[i].size);
        if (!rank || !size)
            continue;
        if (world_size == 1 && strtol(size, NULL, 10) > 1 && strtol(rank, NULL, 10) == 0)
            pinsight_log_once(&alone,
                              "%s started %.10s ranks, but each is alone for its MPI library (%s): "
                              "start them with that library's own mpirun, or build the "
                              "program with the launcher's MPI",
                              launchers[i].whose, size, library.version);
        return; /* later launchers in the list may belong to the surrounding job */
    }
}

static void initialized(bool has_world, uint32_t rank, uint32_t size) {
    pthread_mutex_lock(&pinsight_mpi_native.lock);
    bool first = !atomic_load(&pinsight_mpi_is_ready);
    if (first) {
        if (has_world)
            pinsight_mpi_flavour_world(&rank, &size);
        pinsight_mpi_rank = rank;
        world_size = size;
        pinsight_mpi_flavour_library(&library);
        if (has_world)
            take_job();
        atomic_store(&pinsight_mpi_is_ready, true);
        pinsight_mpi_settings_take();
    }
    pthread_mutex_unlock(&pinsight_mpi_native.lock);
    if (!first)
        return;
    if (pinsight_process.rank < 0) {
        /* No launcher set a variable with the rank. Definitions have it from now on. */
        pinsight_process.rank = (int32_t)rank;
        pinsight_info_redefine();
    }
    look_at_launcher();
    pinsight_mpi_describe();
    if (has_world) {
        pinsight_mpi_comm_look(pinsight_mpi_flavour_comm_world());
        pinsight_mpi_comm_look(pinsight_mpi_flavour_comm_self());
    }
}

void pinsight_mpi_initialized(void) {
    initialized(true, 0, 1);
}

void pinsight_mpi_initialized_as(uint32_t rank, uint32_t size) {
    initialized(false, rank, size);
}

void pinsight_mpi_finalizing(void) {
    atomic_store(&pinsight_mpi_is_ready, false);
    pinsight_native_settings_changed(&pinsight_mpi_native);
    pinsight_native_ends(&pinsight_mpi_native);
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *thread) {
    (void)domain;
    (void)thread;
    pinsight_native_fork_child(&pinsight_mpi_native);
    pinsight_mpi_direct_calls(); /* another thread may have been about to do the same */
}

struct pinsight_domain pinsight_mpi_domain = {
    PINSIGHT_MPI_TABLES,
    .record = PINSIGHT_RECORD_MPI_LINK,
    PINSIGHT_DOMAIN_CALLBACKS(pinsight_mpi),
    .pause = settings_changed,
    .resume = settings_changed,
};
