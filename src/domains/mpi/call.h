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
    struct pinsight_counted_call counted_as;
};

/* Off the hot path: MPI has just been initialised, the mode is not TRACING or threads are to wait,
 * the call site has a window or was not looked at since something changed, the call is inside
 * another. Returns false where nothing at all is to be done about the call. */
bool pinsight_mpi_enter_slow(struct pinsight_pmpi_call *call, enum pinsight_mpi_kind kind,
                             const char *function);

/* A call begins. Returns false where nothing at all is to be done about it. */
static inline bool pinsight_mpi_enter(struct pinsight_pmpi_call *call, enum pinsight_mpi_kind kind,
                                      const char *function, const void *codeptr) {
    int mode = pinsight_domain_mode_now(&pinsight_mpi_domain);
    struct pinsight_core_thread *core = pinsight_thread_self;
    struct pinsight_pmpi_thread *thread = core ? core->state[pinsight_mpi_domain.slot] : NULL;
    if (mode <= PINSIGHT_MODE_STANDBY)
        return false;
    call->codeptr = (uintptr_t)codeptr;
    call->last = call->counted = false;
    if (__builtin_expect(mode == PINSIGHT_MODE_TRACING &&
                             atomic_load_explicit(&pinsight_mpi_is_ready, memory_order_relaxed) &&
                             thread && thread->inside == 0 &&
                             thread->native.heard == pinsight_record_mpi_request_complete_enabled(),
                         1)) {
        struct pinsight_native_lexgion *lexgion =
            *pinsight_native_lexgion_place(&thread->native.cache, codeptr);
        bool is_wanted = pinsight_mpi_kind_is_on(kind);
        if (__builtin_expect(
                !is_wanted ||
                    (lexgion && lexgion->codeptr == (uintptr_t)codeptr &&
                     thread->native.cache.objects_version == pinsight_objects() &&
                     PINSIGHT_GET(lexgion->state.accept_version) == pinsight_decision_version() &&
                     PINSIGHT_GET(lexgion->state.defined) == pinsight_session_version()),
                1)) {
            call->thread = thread;
            call->lexgion = lexgion;
            call->recorded = is_wanted;
            thread->inside = 1;
            return true;
        }
    }
    return pinsight_mpi_enter_slow(call, kind, function);
}

void pinsight_mpi_leave_slow(struct pinsight_pmpi_call *call);

/* It ends. */
static inline void pinsight_mpi_leave(struct pinsight_pmpi_call *call) {
    call->thread->inside--;
    if (__builtin_expect(call->last || call->counted, 0))
        pinsight_mpi_leave_slow(call);
}

#endif
