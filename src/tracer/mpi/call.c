/* Calls of MPI off the hot path; see call.h. */
#include "tracer/mpi/call.h"

#include "tracer/mpi/flavour.h"

static enum pinsight_mode mode_now(struct pinsight_pmpi_thread *thread) {
    if (pinsight_is_paused(&pinsight_mpi_domain))
        pinsight_native_wait(&pinsight_mpi_native, &thread->native);
    return pinsight_domain_mode(&pinsight_mpi_domain);
}

bool pinsight_mpi_enter_slow(struct pinsight_pmpi_call *call, enum pinsight_mpi_kind kind,
                             const char *function) {
    if (pinsight_domain_mode_now(&pinsight_mpi_domain) <= PINSIGHT_MODE_STANDBY)
        return false;
    /* MPI may be initialised by functions without wrappers, such as Fortran's. */
    if (!atomic_load(&pinsight_mpi_is_ready) && pinsight_mpi_flavour_is_initialized())
        pinsight_mpi_initialized();
    struct pinsight_pmpi_thread *thread = call->thread = pinsight_mpi_thread();
    if (!thread)
        return false;
    if (pinsight_record_mpi_request_complete_enabled() != thread->native.listened)
        pinsight_native_listeners_changed(&pinsight_mpi_native, &thread->native,
                                          pinsight_record_mpi_request_complete_enabled());
    enum pinsight_mode mode = mode_now(thread);
    if (mode < PINSIGHT_MODE_MONITORING)
        return false;
    bool is_wanted = pinsight_mpi_kind_is_on(kind);
    call->lexgion = NULL;
    if (is_wanted)
        call->lexgion =
            pinsight_native_lexgion_find(&pinsight_mpi_native, &thread->native.cache,
                                         (const void *)(uintptr_t)call->codeptr, function);
    if (thread->native.inside > 0 && call->lexgion && call->lexgion->is_inner)
        return false; /* a call within the library */
    struct pinsight_decision how = {0};
    if (is_wanted)
        how = pinsight_should_record(&pinsight_mpi_native.engine,
                                     pinsight_native_state(call->lexgion), mode);
    pinsight_add(&thread->native.engine.outside, how.outside);
    call->recorded = how.traced;
    call->last = how.last;
    call->counted = how.counted && call->lexgion;
    thread->native.inside++;
    if (call->counted)
        pinsight_count_begin(&pinsight_mpi_native.engine, &thread->native.engine, &call->counted_as,
                             &call->lexgion->state, 0);
    return true;
}

void pinsight_mpi_leave_slow(struct pinsight_pmpi_call *call) {
    if (call->thread->native.engine.bytes >= PINSIGHT_ACCOUNT_BYTES)
        pinsight_native_account(&pinsight_mpi_native, &call->thread->native);
    if (call->counted)
        pinsight_count_end(&call->thread->native.engine, &call->counted_as, pinsight_clock_ticks());
    if (call->last)
        pinsight_lexgion_last_ended(&pinsight_mpi_native.engine, &call->lexgion->state);
}
