/* Passes the activities of MPI calls on to the timeline. */
#include "reader/mpi/state.h"
#include "reader/timeline.h"

static bool has_listener(const struct pinsight_mpi_thread *thread) {
    const struct pinsight_timeline *timeline = thread->rank->process->model->timeline;

    return timeline && timeline->operation;
}

static const struct pinsight_mpi_function *function_of(const struct pinsight_mpi_thread *thread,
                                                       const struct pinsight_mpi_call *call) {
    return &pinsight_model_mpi(thread->rank->process->model)->functions[call->function];
}

/* Reports one activity. Returns false if its communicator is unknown. */
static bool report(struct pinsight_mpi_thread *thread, enum pinsight_mpi_operation_kind kind,
                   const struct pinsight_mpi_call *call, int32_t peer, uint64_t request) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(thread->rank, call->comm);
    struct pinsight_mpi_operation operation = {
        .request = request,
        .bytes = call->bytes,
        .received = call->receive_bytes,
        .function = call->function,
        .peer = peer,
        .tag = call->tag,
        .kind = (uint8_t)kind,
    };

    if (!handle && kind != PINSIGHT_MPI_OPERATION_POST) /* MPI_Imrecv names no communicator */
        return false;
    operation.comm = handle ? handle->comm : PINSIGHT_NONE;
    operation.me = handle ? handle->me : PINSIGHT_NONE;
    pinsight_track_operation(thread->thread, &operation,
                             pinsight_model_mpi(thread->rank->process->model)->state->now_ns);
    return true;
}

bool pinsight_mpi_report_begin(struct pinsight_mpi_thread *thread,
                               const struct pinsight_mpi_call *call) {
    const struct pinsight_mpi_function *function = function_of(thread, call);

    if (!has_listener(thread) || function->non_blocking || function->persistent)
        return false;
    if (function->role == PINSIGHT_MPI_STARTS) {
        const struct pinsight_mpi_call *made = pinsight_mpi_request_call(thread, call->request);

        if (made)
            pinsight_mpi_report_request(thread, made, call->request);
    }
    if ((function->role == PINSIGHT_MPI_SENDS || function->role == PINSIGHT_MPI_EXCHANGES) &&
        call->dest >= 0)
        report(thread, PINSIGHT_MPI_OPERATION_SEND, call, call->dest, 0);
    return pinsight_mpi_is_collective(function) &&
           report(thread, PINSIGHT_MPI_OPERATION_COLLECTIVE, call, call->root, 0);
}

void pinsight_mpi_report_request(struct pinsight_mpi_thread *thread,
                                 const struct pinsight_mpi_call *call, uint64_t request) {
    const struct pinsight_mpi_function *function = function_of(thread, call);

    if (!has_listener(thread))
        return;
    if ((function->role == PINSIGHT_MPI_SENDS || function->role == PINSIGHT_MPI_EXCHANGES) &&
        call->dest >= 0)
        report(thread, PINSIGHT_MPI_OPERATION_SEND, call, call->dest, request);
    if (!request)
        return;
    if (function->role == PINSIGHT_MPI_RECEIVES && call->source != PINSIGHT_MPI_PROC_NULL)
        report(thread, PINSIGHT_MPI_OPERATION_POST, call, call->source, request);
    if ((function->role == PINSIGHT_MPI_EXCHANGES &&
         call->receive_source != PINSIGHT_MPI_PROC_NULL) ||
        function->role == PINSIGHT_MPI_RECEIVES_PROBED)
        report(thread, PINSIGHT_MPI_OPERATION_POST, call, call->receive_source, request);
    if (pinsight_mpi_is_collective(function))
        report(thread, PINSIGHT_MPI_OPERATION_COLLECTIVE, call, call->root, request);
}

void pinsight_mpi_report_done(struct pinsight_mpi_thread *thread,
                              const struct pinsight_mpi_call *call, uint64_t request,
                              bool cancelled) {
    const struct pinsight_mpi_function *function = function_of(thread, call);

    if (!has_listener(thread))
        return;
    if (pinsight_mpi_is_collective(function))
        report(thread, PINSIGHT_MPI_OPERATION_COLLECTIVE_DONE, call, call->root, request);
    else if (cancelled)
        report(thread, PINSIGHT_MPI_OPERATION_CANCELLED, call, PINSIGHT_MPI_PROC_NULL, request);
    else if ((function->role == PINSIGHT_MPI_SENDS || function->role == PINSIGHT_MPI_EXCHANGES) &&
             call->dest >= 0)
        report(thread, PINSIGHT_MPI_OPERATION_SEND_DONE, call, call->dest, request);
}

void pinsight_mpi_report_received(const struct pinsight_mpi *mpi,
                                  const struct pinsight_mpi_receive *receive, uint32_t comm,
                                  uint32_t me, uint32_t from, int32_t tag, uint64_t bytes) {
    struct pinsight_mpi_thread *thread = mpi->state->now;
    uint32_t first = mpi->comms[comm].sizes[0];
    struct pinsight_mpi_operation operation = {
        .request = receive->request,
        .bytes = bytes,
        .function = receive->function,
        .comm = comm,
        .me = me,
        .peer = (int32_t)(from < first ? from : from - first),
        .tag = tag,
        .kind = PINSIGHT_MPI_OPERATION_RECEIVE,
    };

    if (thread && has_listener(thread))
        pinsight_track_operation(thread->thread, &operation, mpi->state->now_ns);
}
