/* Requests: from the call that makes one to the call that completes it. A persistent request is
 * started and completed repeatedly (MPI 4.0 sections 3.7.3 and 3.9). */
#include "reader/mpi/state.h"
#include "reader/timeline.h"

static struct pinsight_mpi_request *find(const struct pinsight_mpi_thread *thread,
                                         uint64_t request) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(thread->rank->process->model);

    return request ? pinsight_pool_find(&mpi->state->requests, request, thread->rank->index) : NULL;
}

/* Ends the activities of a request whose completion was not seen. */
static void let_go(struct pinsight_mpi *mpi, struct pinsight_mpi_request *request) {
    pinsight_mpi_sent(mpi, request->message, NULL);
    if (request->receive)
        pinsight_mpi_unpost(mpi, request->receive);
    if (request->instance)
        pinsight_mpi_leave(mpi, request->instance, request->member, NULL);
    request->message = NULL;
    request->receive = NULL;
    request->instance = NULL;
    request->active = false;
}

void pinsight_mpi_request_made(struct pinsight_mpi_thread *thread,
                               const struct pinsight_mpi_frame *frame, uint64_t number) {
    struct pinsight_mpi *mpi = pinsight_model_mpi(thread->rank->process->model);
    const struct pinsight_mpi_function *function = &mpi->functions[frame->call.function];
    struct pinsight_mpi_request *request = find(thread, number);

    if (request) /* its completion was not seen */
        let_go(mpi, request);
    else
        request = pinsight_pool_add(&mpi->state->requests, number, thread->rank->index);
    request->call = frame->call;
    request->site = frame->site;
    if (frame->receive)
        frame->receive->request = number;
    request->persistent = function->persistent;
    request->active = !function->persistent;
    request->message = frame->message;
    request->receive = frame->receive;
    request->instance = frame->instance;
    request->member = frame->member;
    request->series = frame->series;
    request->starts = 0;
    thread->rank->requests_started += request->active;
}

void pinsight_mpi_start(struct pinsight_mpi_thread *thread, uint64_t number, uint64_t ns) {
    struct pinsight_mpi_rank *rank = thread->rank;
    struct pinsight_mpi *mpi = pinsight_model_mpi(rank->process->model);
    struct pinsight_mpi_request *request = find(thread, number);
    const struct pinsight_mpi_frame *frame =
        thread->depth ? &thread->frames[thread->depth - 1] : NULL;
    const struct pinsight_mpi_function *function;
    uint32_t site;

    if (!frame || frame->shown) /* an event of its own, as for MPI_Startall */
        pinsight_mpi_now(thread, ns);
    if (!request || !request->persistent || request->active)
        return;
    function = &mpi->functions[request->call.function];
    /* The call that starts it (MPI_Start) is the one that sends, and that can be late. */
    site = frame ? frame->site : request->site;
    mpi->sites[site].sent_bytes += request->call.bytes;
    if (frame && frame->shown)
        pinsight_slice_add_bytes(thread->thread, PINSIGHT_SLICE_MPI, thread->depth,
                                 request->call.bytes);
    request->active = true;
    rank->requests_started++;
    if (function->role == PINSIGHT_MPI_SENDS)
        request->message = pinsight_mpi_send(mpi, rank, site, &request->call, ns);
    else if (function->role == PINSIGHT_MPI_RECEIVES)
        request->receive = pinsight_mpi_post(mpi, rank, site, request->call.comm,
                                             request->call.source, request->call.tag, ns);
    else if (request->series)
        request->instance = pinsight_mpi_enter(mpi, rank, site, &request->call, request->series,
                                               request->starts++, ns, &request->member);
    if (request->receive) {
        request->receive->request = number;
        request->receive->function = request->call.function;
    }
    if (!frame || frame->shown)
        pinsight_mpi_report_request(thread, &request->call, number);
}

const struct pinsight_mpi_call *pinsight_mpi_request_call(struct pinsight_mpi_thread *thread,
                                                          uint64_t number) {
    const struct pinsight_mpi_request *request = find(thread, number);

    return request && request->active ? &request->call : NULL;
}

/* Notes the end of a wait for a request. The message of a receive has its own. */
static void note_wait(const struct pinsight_mpi *mpi, struct pinsight_mpi_frame *frame,
                      const struct pinsight_mpi_request *request) {
    if (request->message)
        pinsight_mpi_frame_awaits(frame, pinsight_mpi_posted_ns(request->message), true);
    else if (request->instance)
        pinsight_mpi_frame_awaits(
            frame, pinsight_mpi_awaited(mpi, request->instance, request->member), false);
    else if (!request->receive)
        frame->unknown = true;
}

void pinsight_mpi_complete(struct pinsight_mpi_thread *thread, uint64_t number, bool cancelled,
                           int32_t source, int32_t tag, uint64_t bytes, uint64_t ns) {
    struct pinsight_mpi_rank *rank = thread->rank;
    struct pinsight_mpi *mpi = pinsight_model_mpi(rank->process->model);
    struct pinsight_mpi_request *request = find(thread, number);
    struct pinsight_mpi_frame *frame = thread->depth ? &thread->frames[thread->depth - 1] : NULL;
    struct pinsight_mpi_interval *interval = frame ? frame->interval : NULL;
    struct pinsight_mpi_receive *receive;

    pinsight_mpi_now(thread, ns);
    if (!request && frame)
        frame->unknown = true;
    if (!request || !request->active)
        return;
    rank->requests_completed++;
    rank->requests_cancelled += cancelled;
    if (frame && !cancelled)
        note_wait(mpi, frame, request);
    receive = request->receive;
    request->receive = NULL;
    if (receive && !cancelled && source != PINSIGHT_MPI_PROC_NULL) {
        if (frame)
            mpi->sites[frame->site].received_bytes += bytes;
        if (!pinsight_mpi_received(mpi, receive, source, tag, bytes, interval) && frame)
            frame->unknown = true;
    } else if (receive) {
        pinsight_mpi_unpost(mpi, receive);
    }
    if (cancelled)
        pinsight_mpi_withdraw(mpi, request->message);
    else
        pinsight_mpi_sent(mpi, request->message, interval);
    if (request->instance)
        pinsight_mpi_leave(mpi, request->instance, request->member, interval);
    pinsight_mpi_report_done(thread, &request->call, number, cancelled);
    request->message = NULL;
    request->instance = NULL;
    request->active = false;
    if (!request->persistent)
        pinsight_pool_remove(&mpi->state->requests, request);
}

void pinsight_mpi_request_freed(struct pinsight_mpi_thread *thread, uint64_t number) {
    struct pinsight_mpi *mpi = pinsight_model_mpi(thread->rank->process->model);
    struct pinsight_mpi_request *request = find(thread, number);

    if (!request)
        return;
    thread->rank->requests_freed += request->active;
    let_go(mpi, request);
    pinsight_pool_remove(&mpi->state->requests, request);
}
