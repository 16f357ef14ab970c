/*
 * Processes of MPI_Comm_spawn learn about their communicator with their starters only from the
 * environment. Therefore the root, whose MPI_Info is the only one that counts (MPI 4.0, 11.8.2),
 * has the communicator's context put there. Open MPI does so by a key of its own. With other
 * libraries, the two sides of the communicator stay separate in the trace.
 */
#include "tracer/mpi/wrap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI

/* The key whose values are lines NAME=VALUE. Open MPI 5.0 still accepts the older key, but warns in
 * the program's output. The older key is therefore used only if the program itself uses it. */
#define OLD_KEY "env"
#if OMPI_MAJOR_VERSION < 5
#define KEY OLD_KEY
#else
#define KEY "PMIX_ENVAR"
#endif

/* Returns a copy of an info with the context, or MPI_INFO_NULL on failure. */
static MPI_Info with_context(MPI_Info info, uint64_t context) {
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info copy = MPI_INFO_NULL;
    const char *key = OLD_KEY;
    int there = 0;
    if (info != MPI_INFO_NULL)
        pinsight_mpi_query.Info_get(info, key, MPI_MAX_INFO_VAL, value, &there);
    if (!there) {
        key = KEY;
        if (info != MPI_INFO_NULL)
            pinsight_mpi_query.Info_get(info, key, MPI_MAX_INFO_VAL, value, &there);
    }
    size_t used = there ? strlen(value) : 0;
    int more = snprintf(value + used, sizeof value - used, "%s%s=%" PRIx64, used ? "\n" : "",
                        PINSIGHT_MPI_PARENT, context);
    if (more < 0 || used + (size_t)more >= MPI_MAX_INFO_VAL)
        return MPI_INFO_NULL;
    int result = info == MPI_INFO_NULL ? pinsight_mpi_query.Info_create(&copy)
                                       : pinsight_mpi_query.Info_dup(info, &copy);
    if (result != MPI_SUCCESS)
        return MPI_INFO_NULL;
    if (pinsight_mpi_query.Info_set(copy, key, value) != MPI_SUCCESS)
        pinsight_mpi_query.Info_free(&copy); /* sets it to MPI_INFO_NULL */
    return copy;
}

static bool make(struct pinsight_mpi_spawn *spawn, const MPI_Info *infos, uint64_t context) {
    for (; spawn->count > 0; spawn->count--) {
        MPI_Info copy = with_context(infos[spawn->count - 1], context);
        if (copy == MPI_INFO_NULL)
            return false;
        spawn->own[spawn->count - 1] = copy;
    }
    return true;
}

void pinsight_mpi_spawn_begins(struct pinsight_mpi_spawn *spawn,
                               const struct pinsight_pmpi_comm *comm, int root, int count,
                               const MPI_Info *infos) {
    uint64_t context = pinsight_mpi_comm_next(comm);
    *spawn = (struct pinsight_mpi_spawn){.infos = infos};
    if (!context || !pinsight_mpi_at_root(comm, root) || comm->is_inter || count < 1 || !infos)
        return;
    spawn->own = count == 1 ? &spawn->one : malloc((size_t)count * sizeof *spawn->own);
    if (!spawn->own)
        return;
    for (int i = 0; i < count; i++)
        spawn->own[i] = MPI_INFO_NULL;
    spawn->count = count;
    bool made = make(spawn, infos, context);
    spawn->count = count;
    if (made)
        spawn->infos = spawn->own;
}

void pinsight_mpi_spawn_ends(struct pinsight_mpi_spawn *spawn) {
    for (int i = 0; spawn->own && i < spawn->count; i++)
        if (spawn->own[i] != MPI_INFO_NULL)
            pinsight_mpi_query.Info_free(&spawn->own[i]);
    if (spawn->own != &spawn->one)
        free(spawn->own);
}

#else

void pinsight_mpi_spawn_begins(struct pinsight_mpi_spawn *spawn,
                               const struct pinsight_pmpi_comm *comm, int root, int count,
                               const MPI_Info *infos) {
    (void)comm, (void)root, (void)count;
    *spawn = (struct pinsight_mpi_spawn){.infos = infos};
}

void pinsight_mpi_spawn_ends(struct pinsight_mpi_spawn *spawn) {
    (void)spawn;
}

#endif
