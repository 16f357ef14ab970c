/* Directs the trampolines to the wrappers of a flavour. */
#include "tracer/core/log.h"
#include "tracer/mpi/real_table.h"
#include "tracer/mpi/wrap.h"

#include <stdlib.h>
#include <string.h>

struct pinsight_mpi_real pinsight_mpi_real;

static const struct pinsight_mpi_shim *trampolines;
static const struct pinsight_mpi_wrapper **wrappers; /* by trampoline; NULL without a wrapper */

void pinsight_mpi_objects_loaded(void) {
    trampolines->loaded();
}

PINSIGHT_API int pinsight_mpi_start(const struct pinsight_mpi_shim *shim);

/* Finds the library's functions that the domain itself calls. */
static const char *find_all(const struct pinsight_mpi_shim *shim) {
#define FIND(name)                                                                                 \
    if (!(pinsight_mpi_query.name =                                                                \
              (__typeof__(pinsight_mpi_query.name))shim->find("PMPI_" #name)))                     \
        return "PMPI_" #name;
    PINSIGHT_MPI_QUERIES(FIND)
#undef FIND
#ifdef OPEN_MPI
#define FIND(name)                                                                                 \
    if (!(pinsight_mpi_objects.name = shim->find(#name)))                                          \
        return #name;
    PINSIGHT_MPI_OBJECTS(FIND)
#undef FIND
#endif
    return NULL;
}

static const struct pinsight_mpi_wrapper *find_wrapper(const char *name) {
    for (size_t i = 0; i < pinsight_mpi_wrapper_count; i++)
        if (strcmp(pinsight_mpi_wrappers[i].name, name) == 0)
            return &pinsight_mpi_wrappers[i];
    return NULL;
}

void pinsight_mpi_direct_calls(void) {
    /* Threads that have to wait do so in wrappers, in any mode. */
    bool is_quiet = pinsight_domain_mode_now(&pinsight_mpi_domain) <= PINSIGHT_MODE_STANDBY;
    for (unsigned i = 0; i < trampolines->count; i++) {
        const struct pinsight_mpi_wrapper *wrapper = wrappers[i];
        void *next = trampolines->next[i];
        if (next)
            atomic_store_explicit(&trampolines->targets[i],
                                  wrapper && (!is_quiet || !wrapper->only_seen) ? wrapper->wrapper
                                                                                : next,
                                  memory_order_release);
    }
}

int pinsight_mpi_start(const struct pinsight_mpi_shim *shim) {
    static struct pinsight_log_once lacks = PINSIGHT_LOG_ONCE_INIT;
    const char *missing = find_all(shim);
    if (missing) {
        pinsight_log_once(&lacks,
                          "this MPI library has no %s, so MPI is not traced; build PInsight "
                          "with its headers",
                          missing);
        return -1;
    }
#ifdef MPI_SESSION_NULL
    pinsight_mpi_from_pset =
        (__typeof__(pinsight_mpi_from_pset))shim->find("PMPI_Group_from_session_pset");
#endif
    wrappers = calloc(shim->count + 1, sizeof(*wrappers));
    if (!wrappers) {
        pinsight_log_once(&lacks, "no memory; MPI is not traced");
        return -1;
    }
    for (unsigned i = 0; i < shim->count; i++) {
        void *next = shim->next[i];
        wrappers[i] = next ? find_wrapper(shim->names[i]) : NULL;
        if (wrappers[i])
            memcpy(wrappers[i]->real, &next, sizeof next);
    }
    trampolines = shim;
    pinsight_mpi_comm_null = PINSIGHT_MPI_HANDLE(MPI_COMM_NULL);
    return pinsight_mpi_domain_start();
}
