/* Ranks, functions and sums of MPI; see mpi.h. */
#include "reader/mpi/mpi.h"

#include "base/memory.h"
#include "reader/mpi/state.h"

#include <stdlib.h>
#include <string.h>

/* After this many sites, calls are counted without their Python path. */
#define MOST_SITES (1u << 18)

struct pinsight_mpi *pinsight_mpi_of(struct pinsight_model *model) {
    struct pinsight_mpi *mpi = pinsight_model_mpi(model);
    struct pinsight_mpi_state *state;

    if (mpi)
        return mpi;
    mpi = model->state[READER_MPI] = pinsight_calloc(1, sizeof(*mpi));
    state = mpi->state = pinsight_calloc(1, sizeof(*state));
    state->bounds = model->bounds;
    state->intervals.size = sizeof(struct pinsight_mpi_interval);
    state->causes.size = sizeof(struct pinsight_mpi_cause);
    state->messages.size = sizeof(struct pinsight_mpi_message);
    state->receives.size = sizeof(struct pinsight_mpi_receive);
    state->arrivals.size = sizeof(struct pinsight_mpi_owed);
    state->probed.size = sizeof(struct pinsight_mpi_probed_message);
    state->channels.slab.size = sizeof(struct pinsight_mpi_channel);
    state->requests.slab.size = sizeof(struct pinsight_mpi_request);
    state->lockers.size = pinsight_mpi_locker_size();
    state->pairs.slab.size = sizeof(struct pinsight_mpi_pair);
    state->instances.slab.size = sizeof(struct pinsight_mpi_instance);
    return mpi;
}

static void free_state(struct pinsight_mpi_state *state) {
    pinsight_pool_each(&state->instances, pinsight_mpi_instance_free, NULL);
    pinsight_pool_clear(&state->instances);
    pinsight_mpi_wins_free(state);
    pinsight_pool_clear(&state->requests);
    pinsight_pool_clear(&state->channels);
    pinsight_slab_clear(&state->arrivals);
    pinsight_slab_clear(&state->probed);
    pinsight_slab_clear(&state->receives);
    pinsight_slab_clear(&state->messages);
    pinsight_slab_clear(&state->causes);
    pinsight_slab_clear(&state->intervals);
    free(state);
}

void pinsight_mpi_free(struct pinsight_model *model) {
    struct pinsight_mpi *mpi = pinsight_model_mpi(model);

    if (!mpi)
        return;
    free_state(mpi->state);
    for (size_t i = 0; i < mpi->rank_count; i++) {
        PINSIGHT_MAPS_CLEAR(&mpi->ranks[i]->handle_map, &mpi->ranks[i]->win_map,
                            &mpi->ranks[i]->group_map);
        free(mpi->ranks[i]->handles);
        free(mpi->ranks[i]);
    }
    for (size_t i = 0; i < mpi->comm_count; i++)
        free(mpi->comms[i].members);
    PINSIGHT_MAPS_CLEAR(&mpi->function_map, &mpi->site_map, &mpi->path_map, &mpi->wait_map,
                        &mpi->edge_map, &mpi->comm_map);
    PINSIGHT_FREE(mpi->ranks, mpi->functions, mpi->sites, mpi->waits, mpi->comms, mpi->edges, mpi);
}

struct pinsight_mpi_rank *pinsight_mpi_rank_of(struct pinsight_process *process) {
    struct pinsight_mpi *mpi = pinsight_mpi_of(process->model);
    struct pinsight_mpi_rank *rank = pinsight_process_mpi(process);

    if (rank)
        return rank;
    rank = process->state[READER_MPI] = pinsight_calloc(1, sizeof(*rank));
    rank->process = process;
    rank->index = (uint32_t)mpi->rank_count;
    rank->rank = PINSIGHT_MPI_NO_RANK;
    rank->world = PINSIGHT_NONE;
    rank->thread_level = -1;
    rank->last_site = rank->abort_site = rank->in = PINSIGHT_NONE;
    *PINSIGHT_ADD(mpi->ranks, mpi->rank_count, mpi->rank_capacity) = rank;
    return rank;
}

struct pinsight_mpi_thread *pinsight_mpi_thread_of(struct pinsight_thread *thread,
                                                   struct pinsight_process *process) {
    struct pinsight_mpi_thread *mpi = pinsight_thread_mpi(thread);

    if (mpi)
        return mpi;
    mpi = thread->state[READER_MPI] = pinsight_calloc(1, sizeof(*mpi));
    mpi->thread = thread;
    mpi->rank = pinsight_mpi_rank_of(process);
    return mpi;
}

void pinsight_mpi_move(struct pinsight_thread *from, struct pinsight_thread *to) {
    if (pinsight_thread_move_state(from, to, READER_MPI))
        pinsight_thread_mpi(to)->thread = to;
}

void pinsight_mpi_thread_free(struct pinsight_thread *thread) {
    free(thread->state[READER_MPI]);
}

uint32_t pinsight_mpi_function(struct pinsight_model *model, const char *name) {
    struct pinsight_mpi *mpi = pinsight_mpi_of(model);
    uint32_t string = pinsight_strings_add(&model->strings, name, strlen(name));
    uint32_t function = pinsight_map_number(&mpi->function_map, string, 0, 0, mpi->function_count);

    if (function < mpi->function_count)
        return function;
    *PINSIGHT_ADD(mpi->functions, mpi->function_count, mpi->function_capacity) =
        (struct pinsight_mpi_function){.name = string};
    pinsight_mpi_describe(&mpi->functions[function], name);
    return function;
}

uint32_t pinsight_mpi_site(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                           uint32_t function, uint32_t path, uint32_t native) {
    uint32_t place;

    if (mpi->site_count >= MOST_SITES)
        path = native = PINSIGHT_NONE;
    place = pinsight_map_number(&mpi->path_map, path, native, 0, mpi->path_count);
    mpi->path_count += place == mpi->path_count;
    return PINSIGHT_NUMBERED(&mpi->site_map, rank->index, function, place, mpi->sites,
                             mpi->site_count, mpi->site_capacity, .rank = rank->index,
                             .function = function, .path = path, .native = native);
}

struct pinsight_mpi_edge *pinsight_mpi_edge_of(struct pinsight_mpi *mpi, uint32_t comm,
                                               uint32_t source, uint32_t dest) {
    return PINSIGHT_KEYED(&mpi->edge_map, comm, source, dest, mpi->edges, mpi->edge_count,
                          mpi->edge_capacity, .comm = comm, .source = source, .dest = dest);
}

void pinsight_mpi_count(struct pinsight_process *process, const char *function, uint32_t native,
                        const struct pinsight_monitored *counted) {
    struct pinsight_mpi_rank *rank = pinsight_mpi_rank_of(process);
    struct pinsight_mpi *mpi = pinsight_model_mpi(process->model);
    uint32_t site = pinsight_mpi_site(mpi, rank, pinsight_mpi_function(process->model, function),
                                      PINSIGHT_NONE, native);

    pinsight_monitored_add(&mpi->sites[site].counted, counted);
    pinsight_mpi_unsure(mpi);
}

static void count_open(void *item, void *data) {
    struct pinsight_mpi *mpi = data;

    (void)item;
    mpi->incomplete++;
}

void pinsight_mpi_finish(struct pinsight_model *model) {
    struct pinsight_mpi *mpi = pinsight_model_mpi(model);

    if (!mpi || mpi->finished)
        return;
    mpi->finished = true;
    pinsight_pool_each(&mpi->state->instances, count_open, mpi);
}
