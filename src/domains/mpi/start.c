/* The wrappers of a flavour take over from the trampolines. */
#include "core/log.h"
#include "domains/mpi/real_table.h"
#include "domains/mpi/wrap.h"

#include <string.h>

struct pinsight_mpi_real pinsight_mpi_real;

static const struct pinsight_mpi_shim *trampolines;

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

static void *find_wrapper(const char *name, void **real) {
    for (size_t i = 0; i < pinsight_mpi_wrapper_count; i++) {
        if (strcmp(pinsight_mpi_wrappers[i].name, name) == 0) {
            memcpy(pinsight_mpi_wrappers[i].real, real, sizeof *real);
            return pinsight_mpi_wrappers[i].wrapper;
        }
    }
    return NULL;
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
    trampolines = shim;
    pinsight_mpi_comm_null = PINSIGHT_MPI_HANDLE(MPI_COMM_NULL);
    if (pinsight_mpi_domain_start() != 0)
        return -1;
    for (unsigned i = 0; i < shim->count; i++) {
        void *next = shim->next[i];
        void *wrapper = next ? find_wrapper(shim->names[i], &next) : NULL;
        if (next)
            atomic_store_explicit(&shim->targets[i], wrapper ? wrapper : next,
                                  memory_order_release);
    }
    return 0;
}
