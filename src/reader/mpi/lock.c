/* Locks of windows: Scalasca's lock contention. A rank waited for another if it was in a call of
 * its lock epoch while the other released the same lock, and if it released the lock itself later.
 * This holds whether a library locks in MPI_Win_lock or at the first access. */
#include "reader/mpi/state.h"

/* A rank's lock epoch at a target. */
struct pinsight_mpi_locker {
    struct pinsight_mpi_locker *next;
    uint32_t member;
    struct pinsight_mpi_interval *now;     /* of its last call */
    struct pinsight_mpi_interval *blocked; /* its call when another began to unlock */
    uint32_t by;                           /* that other member */
    bool locking;                          /* `now` is the call of MPI_Win_lock */
    bool in_lock;                          /* `blocked` is the call of MPI_Win_lock */
    bool released;                         /* another has had the lock after it */
};

size_t pinsight_mpi_locker_size(void) {
    return sizeof(struct pinsight_mpi_locker);
}

static struct pinsight_mpi_locker **place_of(struct pinsight_mpi_win *target, uint32_t member) {
    struct pinsight_mpi_locker **at = &target->lockers;

    while (*at && (*at)->member != member)
        at = &(*at)->next;
    return at;
}

static struct pinsight_mpi_win *target_of(const struct pinsight_mpi *mpi,
                                          const struct pinsight_mpi_win *win,
                                          const struct pinsight_mpi_frame *frame) {
    return frame->call.target < 0 ? NULL
                                  : pinsight_mpi_win_at(mpi, win, (uint32_t)frame->call.target);
}

void pinsight_mpi_lock_begin(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                             struct pinsight_mpi_frame *frame, uint64_t ns) {
    struct pinsight_mpi_win *target = target_of(mpi, win, frame);
    struct pinsight_mpi_locker **at;

    (void)ns;
    if (!target)
        return;
    at = place_of(target, win->me);
    if (!*at) {
        *at = pinsight_slab_take(&mpi->state->lockers);
        **at = (struct pinsight_mpi_locker){.member = win->me, .by = PINSIGHT_NONE};
    }
    pinsight_mpi_interval_set(mpi, &(*at)->now, frame->interval);
    (*at)->locking = true;
}

void pinsight_mpi_lock_access(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                              struct pinsight_mpi_frame *frame, uint64_t ns) {
    struct pinsight_mpi_win *target = target_of(mpi, win, frame);
    struct pinsight_mpi_locker *locker = target ? *place_of(target, win->me) : NULL;

    (void)ns;
    if (!locker)
        return;
    pinsight_mpi_interval_set(mpi, &locker->now, frame->interval);
    locker->locking = false;
}

static void charge(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval, uint32_t site,
                   uint64_t ns) {
    if (interval->ended && interval->end_ns < ns)
        ns = interval->end_ns;
    pinsight_mpi_charge(mpi, interval, PINSIGHT_MPI_LOCK_CONTENTION, site, ns);
}

/* Notes who has had the lock. A member that was in MPI_Win_lock when another began to unlock, and
 * has left it, has had the lock after the other, whose own call may not have returned yet. */
static void had_the_lock(struct pinsight_mpi *mpi, struct pinsight_mpi_win *target,
                         struct pinsight_mpi_locker *mine) {
    struct pinsight_mpi_locker *other =
        mine->by != PINSIGHT_NONE ? *place_of(target, mine->by) : NULL;

    if (!other || !other->now || !mine->in_lock || !mine->blocked || !mine->blocked->ended)
        return;
    charge(mpi, mine->blocked, other->now->site, mine->blocked->end_ns);
    pinsight_mpi_interval_set(mpi, &mine->blocked, NULL);
    mine->by = PINSIGHT_NONE;
    other->released = true;
}

void pinsight_mpi_unlock_begin(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                               struct pinsight_mpi_frame *frame, uint64_t ns) {
    struct pinsight_mpi_win *target = target_of(mpi, win, frame);
    struct pinsight_mpi_locker *mine = target ? *place_of(target, win->me) : NULL;

    if (mine)
        had_the_lock(mpi, target, mine);
    pinsight_mpi_lock_access(mpi, win, frame, ns);
    for (struct pinsight_mpi_locker *other = target ? target->lockers : NULL; other;
         other = other->next)
        if (other->member != win->me && !other->released && other->now && !other->now->ended) {
            pinsight_mpi_interval_set(mpi, &other->blocked, other->now);
            other->in_lock = other->locking;
            other->by = win->me;
        }
}

void pinsight_mpi_unlock_end(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                             struct pinsight_mpi_frame *frame, uint64_t ns) {
    struct pinsight_mpi_win *target = target_of(mpi, win, frame);
    struct pinsight_mpi_locker **at = target ? place_of(target, win->me) : NULL, *mine;

    if (!at || !*at)
        return;
    mine = *at;
    *at = mine->next;
    pinsight_mpi_interval_set(mpi, &mine->now, NULL);
    pinsight_mpi_interval_set(mpi, &mine->blocked, NULL);
    pinsight_slab_give(&mpi->state->lockers, mine);
    for (struct pinsight_mpi_locker *other = target->lockers; other; other = other->next) {
        if (other->by == win->me && other->blocked && other->blocked != other->now)
            charge(mpi, other->blocked, frame->site, ns);
        if (other->now && !other->released &&
            (!other->now->ended || (other->by == win->me && other->now == other->blocked)))
            charge(mpi, other->now, frame->site, ns);
        if (other->by == win->me) {
            pinsight_mpi_interval_set(mpi, &other->blocked, NULL);
            other->by = PINSIGHT_NONE;
        }
    }
}
