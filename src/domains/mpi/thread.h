/* What the MPI domain keeps for a thread. Only the thread itself touches it, but where it says
 * otherwise. */
#ifndef PINSIGHT_MPI_THREAD_H
#define PINSIGHT_MPI_THREAD_H

#include "core/clock.h"
#include "core/link.h"
#include "core/process.h"
#include "core/thread.h"
#include "domains/mpi/domain.h"
#include "domains/mpi/lexgion.h"

/* A call that MONITORING counts. */
struct pinsight_mpi_counted {
    struct pinsight_mpi_lexgion *lexgion; /* NULL where it is not counted */
    struct pinsight_mpi_counted *outer;   /* the counted one that it is in */
    uint64_t start, children;             /* ticks; children: in counted ones inside */
};

struct pinsight_mpi_count;

struct pinsight_mpi_thread {
    struct pinsight_thread *core;
    bool heard;      /* somebody listened, when this was looked at last */
    uint32_t inside; /* calls of MPI that are open */
    uint32_t bytes;  /* recorded since the last account */
    uint64_t outside;
    struct pinsight_mpi_counted *counting; /* innermost */
    struct pinsight_mpi_count *counts;     /* by the lexgions' numbers; see count.h */
    uint32_t count_room;
    struct pinsight_mpi_cache cache;
    void *room; /* for requests that are waited for together; completion.c */
};

/* Make the calling thread's state. NULL when memory is short, and when the thread is ending. */
struct pinsight_mpi_thread *pinsight_mpi_thread_new(void);

/* The calling thread's state, made if there is none. */
static inline struct pinsight_mpi_thread *pinsight_mpi_thread(void) {
    struct pinsight_thread *core = pinsight_thread_self;
    struct pinsight_mpi_thread *thread = core ? core->state[pinsight_mpi_domain.slot] : NULL;
    return __builtin_expect(thread != NULL, 1) ? thread : pinsight_mpi_thread_new();
}

/* ---- recording ---- */

/* Bytes of an event, about: LTTng's header and contexts, and the usual fields. */
#define PINSIGHT_MPI_EVENT_BYTES (6 + 8 + 40)
#define PINSIGHT_MPI_ACCOUNT_BYTES 65536u

extern bool pinsight_mpi_lossless; /* constant after the start */

/* Around an event that may block: the watchdog sees an odd number inside. */
static inline void pinsight_mpi_progress(struct pinsight_mpi_thread *thread) {
    if (__builtin_expect(pinsight_mpi_lossless, 0))
        atomic_store_explicit(&thread->core->progress,
                              atomic_load_explicit(&thread->core->progress, memory_order_relaxed) +
                                  1,
                              memory_order_relaxed);
}

static inline void pinsight_mpi_recorded(struct pinsight_mpi_thread *thread) {
    pinsight_mpi_progress(thread);
    thread->bytes += PINSIGHT_MPI_EVENT_BYTES;
    if (__builtin_expect(thread->bytes >= PINSIGHT_MPI_ACCOUNT_BYTES, 0))
        pinsight_mpi_account(thread);
}

/* ---- for the domain's descriptor ---- */

void pinsight_mpi_thread_end(struct pinsight_thread *thread, void *state);
void pinsight_mpi_thread_free(void *state);
void pinsight_mpi_thread_room_free(void *room);

#endif
