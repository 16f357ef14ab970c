/* The wrappers of a flavour take over from the trampolines. */
#include "core/log.h"
#include "domains/mpi/real_table.h"
#include "domains/mpi/wrap.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pinsight_mpi_real pinsight_mpi_real;

static const struct pinsight_mpi_shim *trampolines;
/* Of each trampoline, or NULL; NULL until all lead to theirs. */
static const struct pinsight_mpi_wrapper **_Atomic wrapper_of;

void pinsight_mpi_objects_loaded(void) {
    trampolines->loaded();
}

PINSIGHT_API int pinsight_mpi_start(const struct pinsight_mpi_shim *shim);

/* What the domain itself needs of the library. */
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

void pinsight_mpi_wrappers_on(bool on) {
    const struct pinsight_mpi_wrapper **of = atomic_load(&wrapper_of);
    for (unsigned i = 0; of && i < trampolines->count; i++)
        if (of[i] && of[i]->only_seen)
            atomic_store_explicit(&trampolines->targets[i],
                                  on ? of[i]->wrapper : trampolines->next[i], memory_order_release);
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
#if MPI_VERSION >= 4
    pinsight_mpi_from_pset =
        (__typeof__(pinsight_mpi_from_pset))shim->find("PMPI_Group_from_session_pset");
#endif
    trampolines = shim;
    pinsight_mpi_comm_null = PINSIGHT_MPI_HANDLE(MPI_COMM_NULL);
    const struct pinsight_mpi_wrapper **of = calloc(shim->count, sizeof *of);
    if (!of || pinsight_mpi_domain_start() != 0) {
        free(of);
        return -1;
    }
    for (unsigned i = 0; i < shim->count; i++) {
        void *next = shim->next[i];
        of[i] = next ? find_wrapper(shim->names[i]) : NULL;
        if (of[i])
            memcpy(of[i]->real, &next, sizeof next);
        if (next)
            atomic_store_explicit(&shim->targets[i], of[i] ? of[i]->wrapper : next,
                                  memory_order_release);
    }
    atomic_store(&wrapper_of, of);
    pinsight_mpi_domain_leads();
    return 0;
}
