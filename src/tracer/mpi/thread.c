/* The MPI domain's data of a thread; see thread.h. */
#include "tracer/mpi/thread.h"

#include <stdlib.h>

struct pinsight_pmpi_thread *pinsight_mpi_thread_new(void) {
    struct pinsight_core_thread *core = pinsight_thread_get();
    struct pinsight_pmpi_thread *thread = core ? pinsight_lines_new(sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    thread->native.engine.core = core;
    thread->comm = &pinsight_mpi_no_comm;
    pinsight_thread_set_domain(core, pinsight_mpi_domain.slot, thread);
    pinsight_native_thread_seen(&pinsight_mpi_native, &thread->native, core->tid);
    return thread;
}

void pinsight_mpi_thread_end(struct pinsight_core_thread *core, void *state) {
    (void)core;
    struct pinsight_pmpi_thread *thread = state;
    pinsight_engine_thread_end(&pinsight_mpi_native.engine, &thread->native.engine);
}

void pinsight_mpi_thread_free(void *state) {
    struct pinsight_pmpi_thread *thread = state;
    pinsight_mpi_thread_room_free(thread->room);
    free(thread);
}
