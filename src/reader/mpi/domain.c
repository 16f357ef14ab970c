/* Registers MPI as a domain of the reader. */
#include "reader/domain.h"
#include "reader/ctf/event.h"
#include "reader/kit/native.h"
#include "reader/mpi/mpi.h"
#include "reader/mpi/state.h"

static void profile(struct pinsight_thread *thread, const struct pinsight_event *event,
                    const struct pinsight_monitored *counted) {
    uint32_t number =
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LEXGION);

    pinsight_mpi_count(thread->process,
                       pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME),
                       pinsight_native_numbered(thread->process, READER_MPI, number), counted);
}

static void end_trace(struct pinsight_process *process) {
    uint64_t until_ns = process->model->until_ns;

    /* A hanging rank records nothing, but lives until the end of the recording. */
    if (until_ns > process->last_ns && pinsight_mpi_hangs(process))
        process->last_ns = until_ns;
    if (pinsight_process_mpi(process))
        pinsight_mpi_note_end(pinsight_process_mpi(process));
}

READER_NATIVE_DOMAIN(mpi, "MPI", pinsight_mpi, .relates_hosts = true, .pause = pinsight_mpi_pause,
                     .move = pinsight_mpi_move, .end_trace = end_trace,
                     .finish = pinsight_mpi_finish, .free_thread = pinsight_mpi_thread_free);
