/*
 * Windows of one-sided communication (MPI 4.0 chapter 12), and waits of ranks that synchronise.
 *
 * The n-th windows that a communicator's members made over it are one window. Fences and frees are
 * collective over it. For post, start, complete and wait, the k-th access epoch of an origin to a
 * target belongs to the target's k-th exposure epoch for that origin. A wait is charged at the time
 * of its cause, to the calls that are open then.
 */
#include "base/memory.h"
#include "reader/mpi/state.h"

#include <stdlib.h>
#include <string.h>

/* The most windows of all ranks, and the most members of all groups. Further ones are not
 * followed. */
#define MOST_WINDOWS (1u << 20)
#define MOST_IN_GROUP (1u << 20)

/* Marks the number of a collective operation over a window, which has the window's number in the
 * high half. */
#define OVER_WINDOW (UINT64_C(1) << 62)

static struct pinsight_mpi *mpi_in(const struct pinsight_mpi_thread *thread) {
    return pinsight_model_mpi(thread->rank->process->model);
}

void pinsight_mpi_win_info(struct pinsight_mpi_rank *rank, uint32_t number, uint32_t comm) {
    struct pinsight_mpi *mpi = pinsight_mpi_of(rank->process->model);
    struct pinsight_mpi_state *state = mpi->state;
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, comm);
    struct pinsight_mpi_win *win;

    if (!handle || !number || state->win_count >= MOST_WINDOWS ||
        pinsight_map_get(&rank->win_map, number, 0, 0) != PINSIGHT_MAP_NONE)
        return;
    win = pinsight_calloc(1, sizeof(*win));
    win->rank = rank->index;
    win->comm = handle->comm;
    win->me = handle->me;
    /* If the recording of a member begins late, its counts differ from the others'. */
    win->number = mpi->comms[handle->comm].is_partial
                      ? (uint32_t)state->win_count
                      : mpi->comms[handle->comm].members[handle->me].windows++;
    state->wins =
        pinsight_grow(state->wins, state->win_count, &state->win_capacity, sizeof(*state->wins));
    pinsight_map_set(&rank->win_map, number, 0, 0, (uint32_t)state->win_count);
    pinsight_map_set(&state->win_map, win->comm, win->number, win->me, (uint32_t)state->win_count);
    state->wins[state->win_count++] = win;
}

void pinsight_mpi_wins_free(struct pinsight_mpi_state *state) {
    for (size_t i = 0; i < state->win_count; i++) {
        PINSIGHT_FREE(state->wins[i]->targets.list, state->wins[i]->origins.list, state->wins[i]);
    }
    free(state->wins);
    pinsight_map_clear(&state->win_map);
    pinsight_pool_clear(&state->pairs);
    pinsight_slab_clear(&state->lockers);
}

static struct pinsight_mpi_win *win_of(const struct pinsight_mpi_thread *thread, uint32_t number) {
    uint32_t at =
        number ? pinsight_map_get(&thread->rank->win_map, number, 0, 0) : PINSIGHT_MAP_NONE;

    return at == PINSIGHT_MAP_NONE ? NULL : mpi_in(thread)->state->wins[at];
}

struct pinsight_mpi_win *pinsight_mpi_win_at(const struct pinsight_mpi *mpi,
                                             const struct pinsight_mpi_win *win, uint32_t member) {
    uint32_t at = pinsight_map_get(&mpi->state->win_map, win->comm, win->number, member);

    return at == PINSIGHT_MAP_NONE ? NULL : mpi->state->wins[at];
}

static bool is_in(const struct pinsight_mpi_interval *interval) {
    return interval && !interval->ended;
}

/* ---- groups ---- */

void pinsight_mpi_group_info(struct pinsight_mpi_rank *rank, uint32_t number, const char *ranks) {
    uint32_t text = pinsight_strings_add(&rank->process->model->strings, ranks, strlen(ranks));

    pinsight_map_set(&rank->group_map, number, 0, 0, text);
}

/* Finds the members with a group's ranks in MPI_COMM_WORLD. Keeps the result for repeated use. */
static void find_members(const struct pinsight_mpi *mpi, const struct pinsight_mpi_win *win,
                         uint32_t group, struct pinsight_mpi_members *members) {
    const struct pinsight_mpi_rank *rank = mpi->ranks[win->rank];
    const struct pinsight_mpi_comm *comm = &mpi->comms[win->comm];
    uint32_t text = pinsight_map_get(&rank->group_map, group, 0, 0);
    struct pinsight_map worlds = {0};
    size_t capacity = 0;
    const char *at;

    if (members->group == group && members->count)
        return;
    free(members->list);
    *members = (struct pinsight_mpi_members){.group = group};
    if (text == PINSIGHT_MAP_NONE)
        return;
    for (uint32_t i = 0; i < comm->member_count; i++) {
        uint32_t world;

        pinsight_mpi_member(mpi, win->comm, i, &world);
        if (world != PINSIGHT_MPI_NO_RANK)
            pinsight_map_set(&worlds, world, 0, 0, i);
    }
    at = pinsight_strings_text(&rank->process->model->strings, text);
    while (*at >= '0' && *at <= '9') {
        unsigned long first, last;
        char *end;

        first = last = strtoul(at, &end, 10);
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (unsigned long world = first; world <= last && members->count < MOST_IN_GROUP;
             world++) {
            uint32_t member = pinsight_map_get(&worlds, (uint32_t)world, 0, 0);

            if (member == PINSIGHT_MAP_NONE)
                break;
            *PINSIGHT_ADD(members->list, members->count, capacity) = member;
        }
        at = *end == ',' ? end + 1 : end;
    }
    pinsight_map_clear(&worlds);
}

/* ---- post, start, complete, wait ---- */

/* Returns the pair of an origin and a target of a window. */
static struct pinsight_mpi_pair *pair_of(struct pinsight_mpi *mpi,
                                         const struct pinsight_mpi_win *win, uint32_t origin,
                                         uint32_t target) {
    uint64_t a = (uint64_t)win->comm << 32 | win->number, b = (uint64_t)origin << 32 | target;
    struct pinsight_mpi_pair *pair = pinsight_pool_find(&mpi->state->pairs, a, b);

    if (pair)
        return pair;
    pair = pinsight_pool_add(&mpi->state->pairs, a, b);
    pair->posts = pair->starts = pair->completes = 0;
    return pair;
}

static bool accesses(const struct pinsight_mpi_win *win, uint32_t target) {
    for (size_t i = 0; win->accessing && i < win->targets.count; i++)
        if (win->targets.list[i] == target)
            return true;
    return false;
}

static void post(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                 struct pinsight_mpi_frame *frame, uint64_t ns) {
    find_members(mpi, win, frame->call.group, &win->origins);
    for (size_t i = 0; i < win->origins.count; i++) {
        uint32_t member = win->origins.list[i];
        struct pinsight_mpi_pair *pair = pair_of(mpi, win, member, win->me);
        struct pinsight_mpi_win *origin = pinsight_mpi_win_at(mpi, win, member);

        pair->posts++;
        if (origin && is_in(origin->access) && accesses(origin, win->me) &&
            pair->starts == pair->posts)
            pinsight_mpi_charge(mpi, origin->access, PINSIGHT_MPI_LATE_POST, frame->site, ns);
    }
}

static void start(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                  struct pinsight_mpi_frame *frame, uint64_t ns) {
    find_members(mpi, win, frame->call.group, &win->targets);
    for (size_t i = 0; i < win->targets.count; i++)
        pair_of(mpi, win, win->me, win->targets.list[i])->starts++;
    win->accessing = true;
    win->accessed_site = frame->site;
    win->accessed_ns = ns;
    pinsight_mpi_interval_set(mpi, &win->access, frame->interval);
}

static void complete(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                     struct pinsight_mpi_frame *frame, uint64_t ns) {
    pinsight_mpi_interval_set(mpi, &win->access, frame->interval);
    for (size_t i = 0; win->accessing && i < win->targets.count; i++) {
        uint32_t member = win->targets.list[i];
        struct pinsight_mpi_pair *pair = pair_of(mpi, win, win->me, member);
        struct pinsight_mpi_win *target = pinsight_mpi_win_at(mpi, win, member);

        if (++pair->completes != pair->posts || !target || !is_in(target->exposure))
            continue;
        pinsight_mpi_charge(mpi, target->exposure, PINSIGHT_MPI_EARLY_WAIT, win->accessed_site,
                            win->accessed_ns);
        pinsight_mpi_charge(mpi, target->exposure, PINSIGHT_MPI_LATE_COMPLETE, frame->site, ns);
    }
}

/* ---- other calls ---- */

static void fence(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                  struct pinsight_mpi_frame *frame, uint64_t ns) {
    frame->member = win->me;
    frame->instance = pinsight_mpi_enter_numbered(
        mpi, win->comm, win->me,
        OVER_WINDOW | (uint64_t)(win->number & 0x3fffffff) << 32 | win->fences++,
        frame->call.function, frame->site, ns);
}

static void await_complete(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                           struct pinsight_mpi_frame *frame, uint64_t ns) {
    (void)ns;
    pinsight_mpi_interval_set(mpi, &win->exposure, frame->interval);
}

static void completed(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                      struct pinsight_mpi_frame *frame, uint64_t ns) {
    (void)mpi, (void)frame, (void)ns;
    win->accessing = false;
}

static void access_target(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                          struct pinsight_mpi_frame *frame, uint64_t ns) {
    if (win->accessing)
        pinsight_mpi_interval_set(mpi, &win->access, frame->interval);
    pinsight_mpi_lock_access(mpi, win, frame, ns);
}

static void accessed(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                     struct pinsight_mpi_frame *frame, uint64_t ns) {
    (void)mpi;
    win->accessed_site = frame->site;
    win->accessed_ns = ns;
}

/* By enum pinsight_mpi_role. */
static pinsight_mpi_win_step *const begins[] = {
    [PINSIGHT_MPI_WIN_FENCES] = fence,
    [PINSIGHT_MPI_WIN_FREES] = fence,
    [PINSIGHT_MPI_WIN_POSTS] = post,
    [PINSIGHT_MPI_WIN_WAITS] = await_complete,
    [PINSIGHT_MPI_WIN_STARTS] = start,
    [PINSIGHT_MPI_WIN_COMPLETES] = complete,
    [PINSIGHT_MPI_WIN_ACCESSES] = access_target,
    [PINSIGHT_MPI_WIN_LOCKS] = pinsight_mpi_lock_begin,
    [PINSIGHT_MPI_WIN_UNLOCKS] = pinsight_mpi_unlock_begin,
};
static pinsight_mpi_win_step *const ends[] = {
    [PINSIGHT_MPI_WIN_COMPLETES] = completed,
    [PINSIGHT_MPI_WIN_ACCESSES] = accessed,
    [PINSIGHT_MPI_WIN_UNLOCKS] = pinsight_mpi_unlock_end,
};

static void take_step(pinsight_mpi_win_step *const *steps, size_t count,
                      struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                      uint64_t ns) {
    struct pinsight_mpi *mpi = mpi_in(thread);
    struct pinsight_mpi_win *win = win_of(thread, frame->call.win);
    unsigned role = mpi->functions[frame->call.function].role;

    if (win && role < count && steps[role])
        steps[role](mpi, win, frame, ns);
}

void pinsight_mpi_win_begin(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                            uint64_t ns) {
    take_step(begins, sizeof(begins) / sizeof(*begins), thread, frame, ns);
}

void pinsight_mpi_win_end(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                          uint64_t ns) {
    take_step(ends, sizeof(ends) / sizeof(*ends), thread, frame, ns);
}
