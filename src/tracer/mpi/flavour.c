/* Queries to the MPI library, in terms of the flavour's mpi.h; see flavour.h. */
#include "tracer/mpi/flavour.h"

#include "tracer/mpi/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pinsight_mpi_queries pinsight_mpi_query;
#ifdef OPEN_MPI
struct pinsight_mpi_objects pinsight_mpi_objects;
#endif

/* Without MPI_Init: the first session, or 0, and the group of all its processes. */
static uint64_t session_handle;
static MPI_Group session_world;

bool pinsight_mpi_flavour_is_initialized(void) {
    int initialized = 0, finalized = 0;
    pinsight_mpi_query.Initialized(&initialized);
    pinsight_mpi_query.Finalized(&finalized);
    return initialized && !finalized;
}

void pinsight_mpi_flavour_world(uint32_t *rank, uint32_t *size) {
    int mine = 0, all = 1;
    pinsight_mpi_query.Comm_rank(MPI_COMM_WORLD, &mine);
    pinsight_mpi_query.Comm_size(MPI_COMM_WORLD, &all);
    *rank = (uint32_t)mine;
    *size = (uint32_t)all;
}

void pinsight_mpi_flavour_library(struct pinsight_mpi_library *library) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0, major = 0, minor = 0, level = -1;
#ifdef OPEN_MPI
    library->flavour = "openmpi";
#else
    library->flavour = "mpich";
#endif
    pinsight_mpi_query.Get_library_version(version, &length);
    version[strcspn(version, ",\r\n")] = '\0';
    for (char *at = version; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    snprintf(library->version, sizeof library->version, "%.250s", *version ? version : "?");
    pinsight_mpi_query.Get_version(&major, &minor);
    snprintf(library->standard, sizeof library->standard, "%d.%d", major % 1000, minor % 1000);
    if (!session_handle) /* a session has a level of its own */
        pinsight_mpi_query.Query_thread(&level);
    library->thread_level = level == MPI_THREAD_SINGLE       ? 0
                            : level == MPI_THREAD_FUNNELED   ? 1
                            : level == MPI_THREAD_SERIALIZED ? 2
                            : level == MPI_THREAD_MULTIPLE   ? 3
                                                             : 255;
}

uint64_t pinsight_mpi_flavour_comm_world(void) {
    return PINSIGHT_MPI_HANDLE(MPI_COMM_WORLD);
}

uint64_t pinsight_mpi_flavour_comm_parent(void) {
    MPI_Comm parent = MPI_COMM_NULL;
    if (pinsight_mpi_query.Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL)
        return 0;
    return PINSIGHT_MPI_HANDLE(parent);
}

uint64_t pinsight_mpi_flavour_comm_self(void) {
    return PINSIGHT_MPI_HANDLE(MPI_COMM_SELF);
}

/* ---- sessions (MPI 4.0, 11.3): without MPI_Init there is no MPI_COMM_WORLD ---- */

#ifdef MPI_SESSION_NULL
__typeof__(&PMPI_Group_from_session_pset) pinsight_mpi_from_pset;

int pinsight_mpi_session_began(int result, const MPI_Session *session) {
    int rank = 0, size = 1;
    if (result != MPI_SUCCESS || atomic_load(&pinsight_mpi_is_ready) || session_handle ||
        !pinsight_mpi_from_pset ||
        pinsight_mpi_from_pset(*session, "mpi://WORLD", &session_world) != MPI_SUCCESS)
        return result;
    session_handle = PINSIGHT_MPI_HANDLE(*session);
    pinsight_mpi_query.Group_rank(session_world, &rank);
    pinsight_mpi_query.Group_size(session_world, &size);
    pinsight_mpi_initialized_as((uint32_t)rank, (uint32_t)size);
    return result;
}

void pinsight_mpi_session_ends(const MPI_Session *session) {
    if (!session_handle || session_handle != PINSIGHT_MPI_HANDLE(*session))
        return;
    session_handle = 0;
    pinsight_mpi_query.Group_free(&session_world); /* the group keeps the session open */
    if (!pinsight_mpi_flavour_is_initialized())
        pinsight_mpi_finalizing();
}
#endif

/* ---- communicators ---- */

/* The longest text of ranks, because an event must fit into a sub-buffer. */
#define LONGEST 3000
/* The largest group whose processes are listed. */
#define MOST_IN_GROUP 65536

struct text {
    char *at;
    size_t used;
    bool full;
};

static void write_range(struct text *text, int from, int to) {
    char one[48];
    int length = from == to ? snprintf(one, sizeof one, "%d", from)
                            : snprintf(one, sizeof one, "%d-%d", from, to);
    bool comma = text->used && text->at[text->used - 1] != '|';
    if (text->full || text->used + (size_t)length + 2 > LONGEST) {
        text->full = true;
        return;
    }
    if (comma)
        text->at[text->used++] = ',';
    memcpy(text->at + text->used, one, (size_t)length + 1);
    text->used += (size_t)length;
}

/* Writes the world ranks of a group, and hashes them. Returns false if they are unknown. */
static bool write_group(struct text *text, MPI_Group group, uint64_t *hash) {
    MPI_Group world = session_world;
    int size = 0;
    if (pinsight_mpi_query.Group_size(group, &size) != MPI_SUCCESS || size <= 0 ||
        (!session_handle && pinsight_mpi_query.Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS))
        return false;
    int *mine = malloc((size_t)size * sizeof *mine),
        *theirs = malloc((size_t)size * sizeof *theirs);
    bool known = mine && theirs;
    for (int i = 0; known && i < size; i++)
        mine[i] = i;
    known = known && pinsight_mpi_query.Group_translate_ranks(group, size, mine, world, theirs) ==
                         MPI_SUCCESS;
    for (int i = 0, from = 0; known && i < size; i++) {
        known = theirs[i] >= 0; /* negative (MPI_UNDEFINED) for a process of another world */
        *hash = (*hash ^ (uint64_t)(uint32_t)theirs[i]) * UINT64_C(0x100000001B3);
        if (i + 1 == size || theirs[i + 1] != theirs[i] + 1) {
            write_range(text, theirs[from], theirs[i]);
            from = i + 1;
        }
    }
    free(mine);
    free(theirs);
    if (!session_handle)
        pinsight_mpi_query.Group_free(&world);
    return known;
}

/* Returns a hash of the world ranks of a group, or 0 if they are unknown. Each call that names a
 * group makes it, so it does not allocate. */
static uint64_t hash_group(MPI_Group group, int size) {
    enum { AT_ONCE = 64 };
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ (uint64_t)size;
    MPI_Group world = session_world;
    bool known = true;
    if (!session_handle && pinsight_mpi_query.Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return 0;
    for (int from = 0; known && from < size; from += AT_ONCE) {
        int mine[AT_ONCE], theirs[AT_ONCE];
        int count = size - from < AT_ONCE ? size - from : AT_ONCE;
        for (int i = 0; i < count; i++)
            mine[i] = from + i;
        known = pinsight_mpi_query.Group_translate_ranks(group, count, mine, world, theirs) ==
                MPI_SUCCESS;
        for (int i = 0; known && i < count; i++)
            hash = (hash ^ (uint64_t)(uint32_t)theirs[i]) * UINT64_C(0x100000001B3);
    }
    if (!session_handle)
        pinsight_mpi_query.Group_free(&world);
    return known ? hash | 1 : 0;
}

/* The processes identify a group, because handles of groups are reused. */
uint32_t pinsight_mpi_group(MPI_Group group) {
    struct text text = {0};
    uint64_t hash, unused = 0;
    uint32_t number;
    int size = 0;
    if (pinsight_mpi_query.Group_size(group, &size) != MPI_SUCCESS || size <= 0 ||
        size > MOST_IN_GROUP || !(hash = hash_group(group, size)))
        return 0;
    number = pinsight_mpi_object_of(&pinsight_mpi_groups, hash);
    if (number || !(text.at = malloc(2 * LONGEST)))
        return number;
    text.at[0] = '\0';
    if (write_group(&text, group, &unused) && !text.full)
        number = pinsight_mpi_object_made(&pinsight_mpi_groups, hash, 0, text.at);
    free(text.at);
    return number;
}

static void write_ranks(MPI_Comm handle, struct pinsight_pmpi_comm *comm) {
    struct text text = {.at = malloc(2 * LONGEST)};
    uint64_t local = UINT64_C(0xCBF29CE484222325), remote = local;
    MPI_Group group;
    bool known = false;
    if (!text.at)
        return;
    text.at[0] = '\0';
    if (pinsight_mpi_query.Comm_group(handle, &group) == MPI_SUCCESS) {
        known = write_group(&text, group, &local);
        pinsight_mpi_query.Group_free(&group);
    }
    bool is_whole = known;
    if (known && comm->is_inter &&
        pinsight_mpi_query.Comm_remote_group(handle, &group) == MPI_SUCCESS) {
        text.at[text.used++] = '|';
        size_t used = text.used;
        text.at[used] = '\0';
        is_whole = write_group(&text, group, &remote);
        if (!is_whole)
            strcpy(text.at + used, "?"); /* the group belongs to another world */
        pinsight_mpi_query.Group_free(&group);
        local ^= remote; /* the same value from both groups */
    }
    comm->group = is_whole ? local : 0;
    if (known && !text.full)
        comm->ranks = strdup(text.at);
    free(text.at);
}

void pinsight_mpi_flavour_comm(uint64_t handle, struct pinsight_pmpi_comm *comm) {
    MPI_Comm it = (MPI_Comm)(uintptr_t)handle;
    int inter = 0, size = 0, rank = 0, remote = 0;
    pinsight_mpi_query.Comm_test_inter(it, &inter);
    pinsight_mpi_query.Comm_size(it, &size);
    pinsight_mpi_query.Comm_rank(it, &rank);
    if (inter)
        pinsight_mpi_query.Comm_remote_size(it, &remote);
    pinsight_mpi_flavour_comm_name(handle, comm->name, sizeof comm->name);
    comm->is_inter = inter;
    comm->size = (uint32_t)size;
    comm->rank = (uint32_t)rank;
    comm->remote_size = (uint32_t)remote;
    write_ranks(it, comm);
}

uint32_t pinsight_mpi_new_comm(int result, const MPI_Comm *comm, struct pinsight_pmpi_comm *parent,
                               enum pinsight_mpi_made how) {
    if (result != MPI_SUCCESS || !atomic_load(&pinsight_mpi_is_ready))
        return 0;
    return pinsight_mpi_comm_made(PINSIGHT_MPI_HANDLE(*comm), parent, how);
}

void pinsight_mpi_flavour_neighbours(uint64_t handle, uint32_t *in, uint32_t *out) {
    MPI_Comm it = (MPI_Comm)(uintptr_t)handle;
    int topology = MPI_UNDEFINED, from = 0, to = 0, weighted, dimensions = 0, rank = 0;
    pinsight_mpi_query.Topo_test(it, &topology);
    if (topology == MPI_CART) {
        pinsight_mpi_query.Cartdim_get(it, &dimensions);
        from = to = 2 * dimensions;
    } else if (topology == MPI_GRAPH) {
        pinsight_mpi_query.Comm_rank(it, &rank);
        pinsight_mpi_query.Graph_neighbors_count(it, rank, &from);
        to = from;
    } else if (topology == MPI_DIST_GRAPH) {
        pinsight_mpi_query.Dist_graph_neighbors_count(it, &from, &to, &weighted);
    }
    *in = (uint32_t)from;
    *out = (uint32_t)to;
}

void pinsight_mpi_flavour_comm_name(uint64_t handle, char name[], size_t size) {
    char text[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;
    pinsight_mpi_query.Comm_get_name((MPI_Comm)(uintptr_t)handle, text, &length);
    snprintf(name, size, "%s", text);
}

/* ---- operations ---- */

#ifdef OPEN_MPI
struct pinsight_mpi_size pinsight_mpi_sizes[PINSIGHT_MPI_SIZES];

/* Keeps only sizes of predefined datatypes. Another type may be freed, and its handle reused. */
static void keep_size(MPI_Datatype type, uint64_t bytes) {
    enum { BEING_FILLED = 1 }; /* not a handle, because handles are addresses */
    struct pinsight_mpi_size *place = pinsight_mpi_size_place(PINSIGHT_MPI_HANDLE(type));
    int integers, addresses, types, combiner;
    uint64_t none = 0;
    if (atomic_load(&place->handle) ||
        pinsight_mpi_query.Type_get_envelope(type, &integers, &addresses, &types, &combiner) !=
            MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED ||
        !atomic_compare_exchange_strong(&place->handle, &none, BEING_FILLED))
        return;
    place->bytes = bytes;
    atomic_store(&place->handle, PINSIGHT_MPI_HANDLE(type));
}
#endif

uint64_t pinsight_mpi_size_asked(MPI_Datatype type) {
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || pinsight_mpi_query.Type_size_x(type, &size) != MPI_SUCCESS ||
        size < 0)
        return 0;
#ifdef OPEN_MPI
    keep_size(type, (uint64_t)size);
#endif
    return (uint64_t)size;
}

uint32_t pinsight_mpi_op(MPI_Op op) {
    const MPI_Op known[] = {MPI_MAX,    MPI_MIN,    MPI_SUM,     MPI_PROD, MPI_LAND,
                            MPI_BAND,   MPI_LOR,    MPI_BOR,     MPI_LXOR, MPI_BXOR,
                            MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == op)
            return i + 1;
    return 255;
}
