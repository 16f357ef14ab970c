/* A call of MPI, from its begin to its end: whether it is recorded, or counted, or neither. */
#ifndef PINSIGHT_MPI_CALL_H
#define PINSIGHT_MPI_CALL_H

#include "domains/mpi/thread.h"
#include "record/mpi.h"

struct pinsight_pmpi_call {
    struct pinsight_pmpi_thread *thread;
    struct pinsight_native_lexgion *lexgion;
    uint64_t codeptr; /* the address that the call returns to */
    bool recorded;    /* its events are */
    bool last;        /* of its window */
    bool counted;
    uint32_t bytes; /* of trace, about, that its events took */
    struct pinsight_counted_call counted_as;
};

/* Before an event of the call's, and after it. */
PINSIGHT_ALWAYS_INLINE void pinsight_mpi_progress(const struct pinsight_pmpi_call *call) {
    pinsight_native_record(&pinsight_mpi_native, &call->thread->native);
}
PINSIGHT_ALWAYS_INLINE void pinsight_mpi_recorded(struct pinsight_pmpi_call *call) {
    pinsight_mpi_progress(call);
    call->bytes += PINSIGHT_MPI_EVENT_BYTES;
}

/* Off the hot path: MPI has just been initialised, the mode is not TRACING or threads are to wait,
 * the kind of call is off, the call site has a window or was not looked at since something changed,
 * the call is inside another. Returns false where nothing at all is to be done about the call. */
bool pinsight_mpi_enter_slow(struct pinsight_pmpi_call *call, enum pinsight_mpi_kind kind,
                             const char *function) PINSIGHT_COLD;

/* A call begins. `listened`: somebody listens to its begin. Returns false where nothing at all is
 * to be done about it. */
PINSIGHT_ALWAYS_INLINE bool pinsight_mpi_enter(struct pinsight_pmpi_call *call,
                                               enum pinsight_mpi_kind kind, const char *function,
                                               const void *codeptr, bool listened) {
    struct pinsight_pmpi_thread *thread = pinsight_thread_domain(pinsight_mpi_domain.slot);
    call->codeptr = (uintptr_t)codeptr;
    call->bytes = 0;
    call->last = call->counted = false;
    if (PINSIGHT_UNLIKELY(!thread || !(PINSIGHT_GET(pinsight_mpi_traced) >> kind & 1) ||
                          thread->native.inside || thread->native.listened != listened))
        return pinsight_mpi_enter_slow(call, kind, function);
    struct pinsight_native_lexgion *lexgion =
        *pinsight_native_lexgion_place(&thread->native.cache, codeptr);
    if (PINSIGHT_UNLIKELY(!pinsight_native_lexgion_is(&thread->native.cache, lexgion, codeptr) ||
                          PINSIGHT_GET(lexgion->state.accept_version) !=
                              pinsight_decision_version()))
        return pinsight_mpi_enter_slow(call, kind, function);
    call->thread = thread;
    call->lexgion = lexgion;
    call->recorded = true;
    thread->native.inside = 1;
    return true;
}

/* The communicator with that handle, as pinsight_mpi_comm_of finds it: the last one again without a
 * search. */
static inline struct pinsight_pmpi_comm *pinsight_mpi_comm_met(struct pinsight_pmpi_thread *thread,
                                                               uint64_t handle) {
    if (PINSIGHT_UNLIKELY(!pinsight_mpi_comm_is(thread->comm, handle)))
        thread->comm = pinsight_mpi_comm_of(handle);
    return thread->comm;
}

/* Not PINSIGHT_COLD: at the end of a function the compiler takes all that leads to a cold call for
 * cold, and moves the way that is always gone far away. */
void pinsight_mpi_leave_slow(struct pinsight_pmpi_call *call) __attribute__((noinline));

/* It ends. */
PINSIGHT_ALWAYS_INLINE void pinsight_mpi_leave(struct pinsight_pmpi_call *call) {
    struct pinsight_native_thread *thread = &call->thread->native;
    thread->inside--;
    uint64_t bytes = pinsight_add(&thread->engine.bytes, call->bytes);
    if (PINSIGHT_UNLIKELY((bytes >= PINSIGHT_ACCOUNT_BYTES) | call->last | call->counted))
        pinsight_mpi_leave_slow(call);
}

#endif
