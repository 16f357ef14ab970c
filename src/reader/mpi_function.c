/* MPI's functions by name. The names of a family follow from one: MPI_Isend and MPI_Send_init from
 * MPI_Send, MPI_Send_c from MPI_Send (MPI 4.0 sections 3.7.2, 3.9, 6.12, 2.5.6). */
#include "reader/mpi_function.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name; /* without MPI_ */
    uint8_t kind, role, spread;
} roles[] = {
    {"Send", PINSIGHT_MPI_P2P, PINSIGHT_MPI_SENDS, PINSIGHT_MPI_NOTHING},
    {"Bsend", PINSIGHT_MPI_P2P, PINSIGHT_MPI_SENDS, PINSIGHT_MPI_NOTHING},
    {"Ssend", PINSIGHT_MPI_P2P, PINSIGHT_MPI_SENDS, PINSIGHT_MPI_NOTHING},
    {"Rsend", PINSIGHT_MPI_P2P, PINSIGHT_MPI_SENDS, PINSIGHT_MPI_NOTHING},
    {"Psend", PINSIGHT_MPI_P2P, PINSIGHT_MPI_SENDS, PINSIGHT_MPI_NOTHING},
    {"Recv", PINSIGHT_MPI_P2P, PINSIGHT_MPI_RECEIVES, PINSIGHT_MPI_NOTHING},
    {"Precv", PINSIGHT_MPI_P2P, PINSIGHT_MPI_RECEIVES, PINSIGHT_MPI_NOTHING},
    {"Mrecv", PINSIGHT_MPI_P2P, PINSIGHT_MPI_RECEIVES_PROBED, PINSIGHT_MPI_NOTHING},
    {"Sendrecv", PINSIGHT_MPI_P2P, PINSIGHT_MPI_EXCHANGES, PINSIGHT_MPI_NOTHING},
    {"Sendrecv_replace", PINSIGHT_MPI_P2P, PINSIGHT_MPI_EXCHANGES, PINSIGHT_MPI_NOTHING},
    {"Probe", PINSIGHT_MPI_P2P, PINSIGHT_MPI_PROBES, PINSIGHT_MPI_NOTHING},
    {"Mprobe", PINSIGHT_MPI_P2P, PINSIGHT_MPI_PROBES, PINSIGHT_MPI_NOTHING},
    {"Barrier", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_BARRIER, PINSIGHT_MPI_NOTHING},
    {"Bcast", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_FROM_ROOT, PINSIGHT_MPI_ALL_TO_EACH},
    {"Scatter", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_FROM_ROOT, PINSIGHT_MPI_PART_TO_EACH},
    {"Scatterv", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_FROM_ROOT, PINSIGHT_MPI_NOTHING},
    {"Reduce", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_TO_ROOT, PINSIGHT_MPI_ALL_TO_ROOT},
    {"Gather", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_TO_ROOT, PINSIGHT_MPI_ALL_TO_ROOT},
    {"Gatherv", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_TO_ROOT, PINSIGHT_MPI_ALL_TO_ROOT},
    {"Allreduce", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Allgather", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_ALL_TO_EACH},
    {"Allgatherv", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_ALL_TO_EACH},
    {"Alltoall", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_PART_TO_EACH},
    {"Alltoallv", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Alltoallw", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Reduce_scatter", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Reduce_scatter_block", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Scan", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE, PINSIGHT_MPI_NOTHING},
    {"Exscan", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE, PINSIGHT_MPI_NOTHING},
    {"Neighbor_allgather", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE,
     PINSIGHT_MPI_NOTHING},
    {"Neighbor_allgatherv", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE,
     PINSIGHT_MPI_NOTHING},
    {"Neighbor_alltoall", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE,
     PINSIGHT_MPI_NOTHING},
    {"Neighbor_alltoallv", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE,
     PINSIGHT_MPI_NOTHING},
    {"Neighbor_alltoallw", PINSIGHT_MPI_COLLECTIVE, PINSIGHT_MPI_OTHER_COLLECTIVE,
     PINSIGHT_MPI_NOTHING},
    /* All members agree on the new communicator's context. */
    {"Comm_dup", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Comm_dup_with_info", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Comm_split", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Comm_split_type", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Comm_create", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Cart_create", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Cart_sub", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Graph_create", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Dist_graph_create", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Dist_graph_create_adjacent", PINSIGHT_MPI_COMM, PINSIGHT_MPI_N_TO_N, PINSIGHT_MPI_NOTHING},
    {"Start", PINSIGHT_MPI_COMPLETION, PINSIGHT_MPI_STARTS, PINSIGHT_MPI_NOTHING},
    {"Startall", PINSIGHT_MPI_COMPLETION, PINSIGHT_MPI_STARTS, PINSIGHT_MPI_NOTHING},
    {"Request_free", PINSIGHT_MPI_COMPLETION, PINSIGHT_MPI_FREES, PINSIGHT_MPI_NOTHING},
    {"Init", PINSIGHT_MPI_ENVIRONMENT, PINSIGHT_MPI_INITIALISES, PINSIGHT_MPI_NOTHING},
    {"Init_thread", PINSIGHT_MPI_ENVIRONMENT, PINSIGHT_MPI_INITIALISES, PINSIGHT_MPI_NOTHING},
    {"Session_init", PINSIGHT_MPI_ENVIRONMENT, PINSIGHT_MPI_INITIALISES, PINSIGHT_MPI_NOTHING},
    {"Finalize", PINSIGHT_MPI_ENVIRONMENT, PINSIGHT_MPI_FINALISES, PINSIGHT_MPI_NOTHING},
};

/* Of functions that are not in the list above, by how their name starts; in this order. */
static const struct {
    const char *start;
    uint8_t kind;
} kinds[] = {
    {"File_", PINSIGHT_MPI_IO},
    {"Register_datarep", PINSIGHT_MPI_IO},
    {"Win_", PINSIGHT_MPI_ONE_SIDED},
    {"Put", PINSIGHT_MPI_ONE_SIDED},
    {"Get_accumulate", PINSIGHT_MPI_ONE_SIDED},
    {"Rput", PINSIGHT_MPI_ONE_SIDED},
    {"Rget", PINSIGHT_MPI_ONE_SIDED},
    {"Raccumulate", PINSIGHT_MPI_ONE_SIDED},
    {"Accumulate", PINSIGHT_MPI_ONE_SIDED},
    {"Fetch_and_op", PINSIGHT_MPI_ONE_SIDED},
    {"Compare_and_swap", PINSIGHT_MPI_ONE_SIDED},
    {"Wait", PINSIGHT_MPI_COMPLETION},
    {"Test", PINSIGHT_MPI_COMPLETION},
    {"Request_", PINSIGHT_MPI_COMPLETION},
    {"Cancel", PINSIGHT_MPI_COMPLETION},
    {"Pready", PINSIGHT_MPI_P2P},
    {"Parrived", PINSIGHT_MPI_COMPLETION},
    {"Buffer_", PINSIGHT_MPI_P2P},
    {"Comm_", PINSIGHT_MPI_COMM},
    {"Intercomm_", PINSIGHT_MPI_COMM},
    {"Cart", PINSIGHT_MPI_COMM},
    {"Graph_", PINSIGHT_MPI_COMM},
    {"Dist_graph_", PINSIGHT_MPI_COMM},
    {"Group_", PINSIGHT_MPI_COMM},
    {"Type_", PINSIGHT_MPI_DATATYPE},
    {"Pack", PINSIGHT_MPI_DATATYPE},
    {"Unpack", PINSIGHT_MPI_DATATYPE},
};

static bool find(struct pinsight_mpi_function *function, const char *name, size_t length) {
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (strlen(roles[i].name) == length && !strncmp(roles[i].name, name, length)) {
            function->kind = roles[i].kind;
            function->role = roles[i].role;
            function->spread = roles[i].spread;
            return true;
        }
    return false;
}

static bool ends_with(const char *name, size_t length, const char *end) {
    size_t more = strlen(end);

    return length > more && !strncmp(name + length - more, end, more);
}

/* MPI_Isend's name without the I, as MPI_Send has it. */
static bool find_immediate(struct pinsight_mpi_function *function, const char *name,
                           size_t length) {
    char base[64];

    if (length < 2 || length > sizeof(base) || name[0] != 'I' || !islower((unsigned char)name[1]))
        return false;
    memcpy(base, name + 1, length - 1);
    base[0] = (char)toupper((unsigned char)base[0]);
    return find(function, base, length - 1);
}

void pinsight_mpi_describe(struct pinsight_mpi_function *function, const char *name) {
    size_t length;

    function->kind = PINSIGHT_MPI_ENVIRONMENT;
    function->role = PINSIGHT_MPI_PLAIN;
    if (!strncmp(name, "MPI_", 4))
        name += 4;
    length = strlen(name);
    if (ends_with(name, length, "_c"))
        length -= 2;
    if (find(function, name, length)) {
        function->removes = !strncmp(name, "Mprobe", 6);
        return;
    }
    if (ends_with(name, length, "_init") && find(function, name, length - 5)) {
        function->persistent = true;
        return;
    }
    if (find_immediate(function, name, length)) {
        function->removes = !strncmp(name, "Improbe", 7);
        /* A probe that does not wait makes no request. */
        function->non_blocking = function->role != PINSIGHT_MPI_PROBES;
        return;
    }
    if (!strncmp(name, "Comm_idup", 9)) {
        function->kind = PINSIGHT_MPI_COMM;
        function->role = PINSIGHT_MPI_N_TO_N;
        function->non_blocking = true;
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (!strncmp(name, kinds[i].start, strlen(kinds[i].start))) {
            function->kind = kinds[i].kind;
            return;
        }
    if (!strcmp(name, "Get") || !strcmp(name, "Get_c"))
        function->kind = PINSIGHT_MPI_ONE_SIDED;
}
