/* A call of MPI, from its begin to its end, and the decision whether it is recorded or counted. */
#ifndef PINSIGHT_MPI_CALL_H
#define PINSIGHT_MPI_CALL_H

#include "tracer/mpi/thread.h"
#include "tracer/record/mpi.h"

struct pinsight_pmpi_call {
    struct pinsight_pmpi_thread *thread;
    struct pinsight_native_lexgion *lexgion;
    uint64_t codeptr; /* the address that the call returns to */
    bool recorded;    /* its events are recorded */
    bool last;        /* it is the last execution of its window */
    bool counted;
    uint32_t bytes; /* approximate bytes of its events in the trace */
    struct pinsight_counted_call counted_as;
};

/* Called before and after an event of the call. */
PINSIGHT_ALWAYS_INLINE void pinsight_mpi_progress(const struct pinsight_pmpi_call *call) {
    pinsight_native_record(&pinsight_mpi_native, &call->thread->native);
}
PINSIGHT_ALWAYS_INLINE void pinsight_mpi_recorded(struct pinsight_pmpi_call *call) {
    pinsight_mpi_progress(call);
    call->bytes += PINSIGHT_MPI_EVENT_BYTES;
}

/* Begins a call off the hot path. There are several reasons: MPI has just been initialised, the
 * mode is not TRACING, threads have to wait, or the kind of call is off. The call site may have a
 * window or need a new decision, or the call is inside another. Returns false if the call needs no
 * further work. */
bool pinsight_mpi_enter_slow(struct pinsight_pmpi_call *call, enum pinsight_mpi_kind kind,
                             const char *function) PINSIGHT_COLD;

/* Begins a call. `listened` is whether the event of its begin has a listener. Returns false if the
 * call needs no further work. */
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

/* Returns the communicator with a handle, like pinsight_mpi_comm_of(). The thread's last
 * communicator is found without a search. */
static inline struct pinsight_pmpi_comm *
pinsight_mpi_comm_cached(struct pinsight_pmpi_thread *thread, uint64_t handle) {
    if (PINSIGHT_UNLIKELY(!pinsight_mpi_comm_is(thread->comm, handle)))
        thread->comm = pinsight_mpi_comm_of(handle);
    return thread->comm;
}

/* Ends a call off the hot path. It is not PINSIGHT_COLD: at the end of a function, the compiler
 * would treat all code before the call as cold and move the hot path away. */
void pinsight_mpi_leave_slow(struct pinsight_pmpi_call *call) __attribute__((noinline));

/* Ends a call. */
PINSIGHT_ALWAYS_INLINE void pinsight_mpi_leave(struct pinsight_pmpi_call *call) {
    struct pinsight_native_thread *thread = &call->thread->native;
    thread->inside--;
    uint64_t bytes = pinsight_add(&thread->engine.bytes, call->bytes);
    if (PINSIGHT_UNLIKELY((bytes >= PINSIGHT_ACCOUNT_BYTES) | call->last | call->counted))
        pinsight_mpi_leave_slow(call);
}

#endif
