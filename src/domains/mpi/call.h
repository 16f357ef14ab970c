/* A call of MPI, from its begin to its end: whether it is recorded. */
#ifndef PINSIGHT_MPI_CALL_H
#define PINSIGHT_MPI_CALL_H

#include "domains/mpi/thread.h"

struct pinsight_mpi_call {
    struct pinsight_mpi_thread *thread;
    uint64_t codeptr; /* the address that the call returns to */
    bool recorded;    /* its events are */
};

/* The mode is not TRACING, or threads are to wait, or MPI has just been initialised. */
bool pinsight_mpi_enter_slow(struct pinsight_mpi_call *call);

/* A call begins. Returns false where nothing at all is to be done about it. */
static inline bool pinsight_mpi_enter(struct pinsight_mpi_call *call, enum pinsight_mpi_kind kind,
                                      const void *codeptr) {
    call->codeptr = (uintptr_t)codeptr;
    if (__builtin_expect(pinsight_domain_mode_now(&pinsight_mpi_domain) != PINSIGHT_MODE_TRACING ||
                             !atomic_load_explicit(&pinsight_mpi_is_ready, memory_order_relaxed),
                         0)) {
        if (!pinsight_mpi_enter_slow(call))
            return false;
    }
    struct pinsight_mpi_thread *thread = call->thread = pinsight_mpi_thread();
    if (__builtin_expect(!thread, 0))
        return false;
    thread->inside++;
    call->recorded = pinsight_mpi_kind_is_on(kind);
    return true;
}

/* It ends. */
static inline void pinsight_mpi_leave(struct pinsight_mpi_call *call) {
    call->thread->inside--;
}

#endif
