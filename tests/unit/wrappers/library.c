/* The library that is none: what it says of communicators, groups and types; see wrappers.h. */
#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

/* ---- communicators ---- */

static const struct model models[] = {{0, 4, 1, 0}, {0x501, 5, 3, 0}, {0x502, 3, 1, 6}};

const struct model *wrappers_model_of(MPI_Comm comm) {
    for (size_t i = 1; i < sizeof models / sizeof *models; i++)
        if (comm == HANDLE(MPI_Comm, models[i].handle))
            return &models[i];
    return &models[0];
}

int own_rank(void) {
    return wrappers_model_of(now->comm)->rank;
}

int own_ranks(void) {
    return wrappers_model_of(now->comm)->size;
}

int ranks(void) {
    const struct model *model = wrappers_model_of(now->comm);
    return model->remote ? model->remote : model->size;
}

bool is_root(void) {
    return wrappers_model_of(now->comm)->remote ? now->root == MPI_ROOT : now->root == own_rank();
}

bool is_member(void) {
    return !wrappers_model_of(now->comm)->remote || now->root >= 0;
}

static uint64_t numbers = 0x10000;

uint64_t fresh(void) {
    return numbers += 16;
}

int64_t wrappers_expected_comm;

MPI_Comm comm_to_free(void) {
    uint64_t handle = fresh();
    wrappers_expected_comm = pinsight_mpi_comm_look(handle)->id;
    return HANDLE(MPI_Comm, handle);
}

int64_t comm_number(void) {
    return wrappers_expected_comm;
}

/* ---- the library's queries ---- */

/* A query of a communicator: `value` is of the model `comm` of it. */
#define SAYS(name, type, value)                                                                    \
    static int says_##name(MPI_Comm handle, type *result) {                                        \
        const struct model *comm = wrappers_model_of(handle);                                      \
        *result = value;                                                                           \
        return MPI_SUCCESS;                                                                        \
    }

SAYS(rank, int, comm->rank)
SAYS(size, int, comm->size)
SAYS(remote_size, int, comm->remote)
SAYS(inter, int, comm->remote > 0)
static int says_name(MPI_Comm comm, char *name, int *length) {
    (void)comm;
    strcpy(name, "some");
    *length = 4;
    return MPI_SUCCESS;
}
/* A group is its size. */
SAYS(group, MPI_Group, HANDLE(MPI_Group, comm->size))
SAYS(remote_group, MPI_Group, HANDLE(MPI_Group, comm->remote))
static int says_group_size(MPI_Group group, int *size) {
    *size = (int)(uintptr_t)group;
    return MPI_SUCCESS;
}
static int translates(MPI_Group from, int count, const int ranks[], MPI_Group to, int out[]) {
    (void)from, (void)to;
    memcpy(out, ranks, (size_t)count * sizeof *out);
    return MPI_SUCCESS;
}
static int frees_group(MPI_Group *group) {
    (void)group;
    return MPI_SUCCESS;
}
static int says_topology(MPI_Comm comm, int *kind) {
    (void)comm;
    *kind = MPI_DIST_GRAPH;
    return MPI_SUCCESS;
}
static int says_neighbours(MPI_Comm comm, int *in, int *out, int *weighted) {
    (void)comm;
    *in = NEIGHBOURS_IN;
    *out = NEIGHBOURS_OUT;
    *weighted = 0;
    return MPI_SUCCESS;
}
static int says_yes(int *flag) {
    *flag = 1;
    return MPI_SUCCESS;
}
static int says_no(int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}
static int says_version(int *version, int *subversion) {
    *version = 3;
    *subversion = 1;
    return MPI_SUCCESS;
}
static int says_library(char *version, int *length) {
    strcpy(version, "none");
    *length = 4;
    return MPI_SUCCESS;
}
static int says_thread(int *level) {
    *level = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}
unsigned wrappers_sizes_asked;
static int says_type_size(MPI_Datatype of, MPI_Count *size) {
    *size = (MPI_Count)((uintptr_t)of & 0xff) / 8;
    wrappers_sizes_asked++;
    return MPI_SUCCESS;
}
static int says_envelope(MPI_Datatype of, int *integers, int *addresses, int *types,
                         int *combiner) {
    *integers = *addresses = *types = 0;
    *combiner = (uintptr_t)of & PREDEFINED ? MPI_COMBINER_NAMED : MPI_COMBINER_DUP;
    return MPI_SUCCESS;
}
static int says_no_parent(MPI_Comm *parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
static int says_group_rank(MPI_Group group, int *rank) {
    (void)group;
    *rank = 0;
    return MPI_SUCCESS;
}
/* No copy of an info can be had, so that what a program gives to MPI_Comm_spawn arrives as it is.
 */
static int has_no_key(MPI_Info info, const char *key, int room, char *value, int *flag) {
    (void)info, (void)key, (void)room, (void)value;
    *flag = 0;
    return MPI_SUCCESS;
}
static int makes_no_info(MPI_Info *info) {
    (void)info;
    return MPI_ERR_OTHER;
}
static int copies_no_info(MPI_Info info, MPI_Info *copy) {
    (void)info, (void)copy;
    return MPI_ERR_OTHER;
}

static const struct query {
    const char *name;
    void *function;
} queries[] = {
    {"PMPI_Comm_rank", (void *)says_rank},
    {"PMPI_Comm_size", (void *)says_size},
    {"PMPI_Comm_remote_size", (void *)says_remote_size},
    {"PMPI_Comm_test_inter", (void *)says_inter},
    {"PMPI_Comm_get_name", (void *)says_name},
    {"PMPI_Comm_get_parent", (void *)says_no_parent},
    {"PMPI_Comm_group", (void *)says_group},
    {"PMPI_Comm_remote_group", (void *)says_remote_group},
    {"PMPI_Group_rank", (void *)says_group_rank},
    {"PMPI_Group_size", (void *)says_group_size},
    {"PMPI_Group_translate_ranks", (void *)translates},
    {"PMPI_Group_free", (void *)frees_group},
    {"PMPI_Info_create", (void *)makes_no_info},
    {"PMPI_Info_dup", (void *)copies_no_info},
    {"PMPI_Info_get", (void *)has_no_key},
    {"PMPI_Topo_test", (void *)says_topology},
    {"PMPI_Dist_graph_neighbors_count", (void *)says_neighbours},
    {"PMPI_Initialized", (void *)says_yes},
    {"PMPI_Finalized", (void *)says_no},
    {"PMPI_Get_version", (void *)says_version},
    {"PMPI_Get_library_version", (void *)says_library},
    {"PMPI_Query_thread", (void *)says_thread},
    {"PMPI_Type_get_envelope", (void *)says_envelope},
    {"PMPI_Type_size_x", (void *)says_type_size},
};

void *wrappers_find(const char *name) {
    static char objects[64][8] __attribute__((aligned(16)));
    static const char *names[64];
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (strcmp(name, queries[i].name) == 0)
            return queries[i].function;
    for (int i = 0; i < 64; i++) {
        if (!names[i])
            names[i] = name;
        if (strcmp(names[i], name) == 0)
            return objects[i]; /* or a query that is not asked here */
    }
    abort();
}
