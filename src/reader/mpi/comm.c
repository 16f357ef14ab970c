/* Communicators of processes, joined by their context. */
#include "base/memory.h"
#include "reader/mpi/state.h"

#include <stdlib.h>
#include <string.h>

/* The most members of a communicator. Nothing is matched in a larger one. */
#define MOST_MEMBERS (1u << 20)
/* The most members of all communicators. */
#define MOST_IN_ALL (1u << 24)

const struct pinsight_mpi_handle *pinsight_mpi_handle_of(const struct pinsight_mpi_rank *rank,
                                                         uint32_t number) {
    uint32_t handle = pinsight_map_get(&rank->handle_map, number, 0, 0);

    return handle == PINSIGHT_MAP_NONE ? NULL : &rank->handles[handle];
}

static uint32_t add_comm(struct pinsight_mpi *mpi, const struct pinsight_mpi_comm_info *info,
                         uint32_t group, uint32_t world) {
    uint32_t index = (uint32_t)mpi->comm_count, count = info->size + info->remote_size;
    struct pinsight_mpi_comm *comm;

    comm = PINSIGHT_ADD(mpi->comms, mpi->comm_count, mpi->comm_capacity);
    *comm = (struct pinsight_mpi_comm){.context = info->context,
                                       .sizes = {info->size, info->remote_size},
                                       .group = group,
                                       .world = world,
                                       .member_count = count};
    mpi->members += count;
    comm->members = pinsight_calloc(count, sizeof(*comm->members));
    for (uint32_t i = 0; i < count; i++)
        comm->members[i] =
            (struct pinsight_mpi_member){.rank = PINSIGHT_NONE, .world = PINSIGHT_MPI_NO_RANK};
    return index;
}

/* Returns the index of the first member of a process's group. The first group is that of the first
 * description. Groups of two jobs can have equal ranks. */
static uint32_t group_start(const struct pinsight_mpi_comm *comm,
                            const struct pinsight_mpi_rank *rank,
                            const struct pinsight_mpi_comm_info *info, uint32_t group) {
    uint32_t there;

    if (!info->remote_size)
        return 0;
    there = info->rank < comm->sizes[0] ? comm->members[info->rank].rank : PINSIGHT_NONE;
    if (comm->group == group && comm->world == rank->world && comm->sizes[0] == info->size &&
        (there == PINSIGHT_NONE || there == rank->index))
        return 0;
    return comm->sizes[0];
}

/* Parses the ranks of a group in MPI_COMM_WORLD, such as "0,2,4-7,?". Returns the position after
 * them. */
static const char *read_ranks(struct pinsight_mpi_member *members, uint32_t count,
                              const char *text) {
    uint32_t i = 0;

    while ((*text == '?' || (*text >= '0' && *text <= '9')) && i < count) {
        unsigned long first, last;
        char *end;

        if (*text == '?') {
            i++;
            text += text[1] == ',' ? 2 : 1;
            continue;
        }
        first = last = strtoul(text, &end, 10);
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (unsigned long rank = first; rank <= last && i < count; rank++)
            members[i++].world = (uint32_t)rank;
        text = *end == ',' ? end + 1 : end;
    }
    return text;
}

/* Returns whether a process can be the member that it reports. Another job's communicators may have
 * equal contexts. Its first process then finds the place taken, and the others follow it. */
static bool has_room(const struct pinsight_mpi_comm *comm, const struct pinsight_mpi_rank *rank,
                     const struct pinsight_mpi_comm_info *info) {
    uint32_t there = comm->members[info->rank].rank;

    if (info->remote_size || there == PINSIGHT_NONE || there == rank->index)
        return info->remote_size || comm->sizes[0] == info->size;
    return false;
}

/* Returns the communicator that others of its processes have described, or a new one. A
 * communicator of a single process is never shared. */
static uint32_t find_comm(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                          const struct pinsight_mpi_comm_info *info, uint32_t group) {
    uint32_t low = (uint32_t)info->context, high = (uint32_t)(info->context >> 32), comm;

    if (!info->context || info->size + info->remote_size == 1)
        return add_comm(mpi, info, group, rank->world);
    comm = pinsight_map_get(&mpi->comm_map, low, high, info->size + info->remote_size);
    if (comm != PINSIGHT_MAP_NONE && has_room(&mpi->comms[comm], rank, info))
        return comm;
    comm = add_comm(mpi, info, group, rank->world);
    pinsight_map_set(&mpi->comm_map, low, high, info->size + info->remote_size, comm);
    return comm;
}

/* Returns whether a process has described its communicator before, as it does again after a
 * rotation. */
static bool is_known(const struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                     const struct pinsight_mpi_comm_info *info) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, info->number);

    return handle && mpi->comms[handle->comm].context == info->context &&
           mpi->comms[handle->comm].member_count == info->size + info->remote_size;
}

static void set_handle(struct pinsight_mpi_rank *rank, uint32_t number,
                       const struct pinsight_mpi_handle *handle) {
    uint32_t index = pinsight_map_get(&rank->handle_map, number, 0, 0);

    if (index == PINSIGHT_MAP_NONE) {
        rank->handles = pinsight_grow(rank->handles, rank->handle_count, &rank->handle_capacity,
                                      sizeof(*rank->handles));
        index = (uint32_t)rank->handle_count++;
        pinsight_map_set(&rank->handle_map, number, 0, 0, index);
    }
    rank->handles[index] = *handle;
}

void pinsight_mpi_comm_info(struct pinsight_mpi_rank *rank,
                            const struct pinsight_mpi_comm_info *info) {
    struct pinsight_model *model = rank->process->model;
    struct pinsight_mpi *mpi = pinsight_mpi_of(model);
    struct pinsight_mpi_comm *comm;
    uint32_t group = pinsight_strings_add(&model->strings, info->ranks, strcspn(info->ranks, "|"));
    struct pinsight_mpi_handle handle;
    const char *rest;
    uint32_t start;

    if (!info->size || info->size > MOST_MEMBERS || info->remote_size > MOST_MEMBERS ||
        info->rank >= info->size || mpi->members + info->size + info->remote_size > MOST_IN_ALL)
        return;
    if (!is_known(mpi, rank, info)) {
        handle.comm = find_comm(mpi, rank, info, group);
        comm = &mpi->comms[handle.comm];
        start = group_start(comm, rank, info, group);
        if (start + info->size > comm->member_count)
            return;
        handle.me = start + info->rank;
        handle.remote = info->remote_size && !start ? comm->sizes[0] : 0;
        comm->members[handle.me].rank = rank->index;
        rest = read_ranks(comm->members + start, info->size, info->ranks);
        if (*rest == '|')
            read_ranks(comm->members + handle.remote, info->remote_size, rest + 1);
        set_handle(rank, info->number, &handle);
        if (info->number == PINSIGHT_MPI_WORLD) {
            rank->rank = info->rank;
            rank->world = handle.comm;
        }
    }
    comm = &mpi->comms[pinsight_mpi_handle_of(rank, info->number)->comm];
    if (info->is_partial) {
        comm->is_partial = true;
        mpi->late_ranks += !rank->is_partial;
        rank->is_partial = true;
    }
    if (info->name[0] && strcmp(info->name, "-") != 0)
        comm->name = pinsight_strings_add(&model->strings, info->name, strlen(info->name));
}

uint32_t pinsight_mpi_member(const struct pinsight_mpi *mpi, uint32_t comm, uint32_t member,
                             uint32_t *world) {
    const struct pinsight_mpi_comm *entry = &mpi->comms[comm];
    uint32_t rank = PINSIGHT_NONE;

    *world = PINSIGHT_MPI_NO_RANK;
    if (member >= entry->member_count)
        return rank;
    *world = entry->members[member].world;
    rank = entry->members[member].rank;
    if (rank != PINSIGHT_NONE)
        *world = mpi->ranks[rank]->rank;
    if (rank != PINSIGHT_NONE || *world == PINSIGHT_MPI_NO_RANK)
        return rank;
    /* Without a description from the process, derives the rank from another member's
     * MPI_COMM_WORLD. */
    for (uint32_t i = 0; i < entry->member_count; i++) {
        uint32_t other = entry->members[i].rank;
        uint32_t all = other == PINSIGHT_NONE ? PINSIGHT_NONE : mpi->ranks[other]->world;

        if (all != PINSIGHT_NONE && *world < mpi->comms[all].member_count)
            return mpi->comms[all].members[*world].rank;
    }
    return rank;
}
