/* Calls of MPI in a thread. */
#include "reader/mem.h"
#include "reader/mpi_state.h"
#include "reader/timeline.h"

#include <stdlib.h>

static struct pinsight_mpi *mpi_in(const struct pinsight_mpi_thread *thread) {
    return thread->rank->process->model->mpi;
}

/* A rank did something; time does not run back within it. Returns when. */
static uint64_t touch(struct pinsight_mpi_thread *thread, uint32_t number, uint64_t ns) {
    struct pinsight_mpi_rank *rank = thread->rank;

    if (ns < rank->last_ns)
        ns = rank->last_ns;
    pinsight_mpi_now(thread, ns);
    if (rank->rank == PINSIGHT_MPI_NO_RANK)
        rank->rank = number;
    if (!rank->first_ns)
        rank->first_ns = rank->begin_ns = ns;
    if (!rank->main)
        rank->main = thread;
    rank->last_ns = ns;
    if (!rank->finalised)
        rank->end_ns = ns;
    return ns;
}

/* Messages and operations that begin with a call. */
static void begin_roles(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                        const struct pinsight_mpi_function *function, uint64_t ns) {
    struct pinsight_mpi *mpi = mpi_in(thread);
    struct pinsight_mpi_rank *rank = thread->rank;
    const struct pinsight_mpi_call *call = &frame->call;
    bool exchanges = function->role == PINSIGHT_MPI_EXCHANGES;

    if (function->persistent) {
        if (pinsight_mpi_is_collective(function))
            frame->series = pinsight_mpi_series(mpi, rank, call);
        return;
    }
    if (function->role == PINSIGHT_MPI_SENDS || exchanges)
        frame->message = pinsight_mpi_send(mpi, rank, frame->site, call, ns);
    if (function->role == PINSIGHT_MPI_RECEIVES || exchanges)
        frame->receive = pinsight_mpi_post(mpi, rank, frame->site, call->comm,
                                           exchanges ? call->receive_source : call->source,
                                           exchanges ? call->receive_tag : call->tag, ns);
    else if (function->role == PINSIGHT_MPI_RECEIVES_PROBED)
        frame->receive = pinsight_mpi_post_taken(mpi, rank, frame->site, ns);
    else if (pinsight_mpi_is_collective(function))
        frame->instance =
            pinsight_mpi_enter(mpi, rank, frame->site, call, 0, 0, ns, &frame->member);
    else if (function->role == PINSIGHT_MPI_STARTS)
        pinsight_mpi_start(thread, call->request, ns);
}

/* The call as a slice of the timeline. */
static void show(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_frame *frame,
                 uint64_t ns) {
    const struct pinsight_mpi_call *call = &frame->call;
    const struct pinsight_mpi_state *state = mpi_in(thread)->state;
    int32_t peer = call->dest >= 0 ? call->dest : call->root >= 0 ? call->root : call->source;

    pinsight_slice_begin(thread->thread,
                         &(struct pinsight_slice){.kind = PINSIGHT_SLICE_MPI,
                                                  .id = frame->site,
                                                  .path = call->path,
                                                  .native = call->native,
                                                  .key = thread->depth,
                                                  .out = state->out,
                                                  .outs = state->outs,
                                                  .bytes = call->bytes,
                                                  .peer = peer,
                                                  .tag = call->tag},
                         ns);
}

void pinsight_mpi_begin(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_call *call,
                        uint64_t ns) {
    struct pinsight_mpi *mpi = mpi_in(thread);
    const struct pinsight_mpi_function *function = &mpi->functions[call->function];
    struct pinsight_mpi_frame *frame;

    ns = touch(thread, call->rank, ns);
    if (thread->depth == PINSIGHT_MPI_DEEPEST) {
        mpi->unmatched_begins++;
        return;
    }
    if (function->role == PINSIGHT_MPI_FINALISES && !thread->rank->finalised) {
        thread->rank->finalised = true;
        thread->rank->end_ns = ns;
    }
    frame = &thread->frames[thread->depth++];
    *frame = (struct pinsight_mpi_frame){.call = *call, .begin_ns = ns};
    frame->site = pinsight_mpi_site(mpi, thread->rank, call->function, call->path, call->native);
    mpi->sites[frame->site].sent_bytes += call->bytes;
    frame->interval = pinsight_mpi_interval_new(
        mpi, frame->site, thread == thread->rank->main && thread->depth == 1, ns);
    begin_roles(thread, frame, function, ns);
    show(thread, frame, ns);
    frame->shown = true;
    frame->collective = pinsight_mpi_tell_begin(thread, call);
}

/* A receive that ended with its call. */
static void end_receive(struct pinsight_mpi *mpi, struct pinsight_mpi_frame *frame,
                        const struct pinsight_mpi_result *result) {
    struct pinsight_mpi_receive *receive = frame->receive;
    int32_t source = result->has_status ? result->source : receive->source;
    int32_t tag = result->has_status ? result->tag : receive->tag;

    frame->receive = NULL;
    if ((result->value && !result->has_status) || source < 0) {
        pinsight_mpi_unpost(mpi, receive);
        return;
    }
    mpi->sites[frame->site].received_bytes += result->bytes;
    pinsight_mpi_received(mpi, receive, source, tag, result->bytes, frame->interval);
}

static void end_roles(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                      const struct pinsight_mpi_result *result) {
    struct pinsight_mpi *mpi = mpi_in(thread);
    const struct pinsight_mpi_function *function = &mpi->functions[frame->call.function];

    if (result->request && function->role != PINSIGHT_MPI_STARTS &&
        function->role != PINSIGHT_MPI_FREES && result->request != frame->call.request) {
        pinsight_mpi_request_made(thread, frame, result->request);
        if (!function->persistent)
            pinsight_mpi_tell_request(thread, &frame->call, result->request);
        return;
    }
    if (function->non_blocking && frame->message)
        pinsight_mpi_tell_request(thread, &frame->call, 0);
    if (function->role == PINSIGHT_MPI_PROBES && result->has_status && result->source >= 0)
        pinsight_mpi_probed(mpi, thread->rank, frame->call.comm, result, function->removes,
                            frame->interval);
    if (function->role == PINSIGHT_MPI_FREES)
        pinsight_mpi_request_freed(thread, frame->call.request);
    if (frame->receive)
        end_receive(mpi, frame, result);
    pinsight_mpi_sent(mpi, frame->message, frame->interval);
    if (frame->instance)
        pinsight_mpi_leave(mpi, frame->instance, frame->member, frame->interval);
    if (frame->collective)
        pinsight_mpi_tell_done(thread, &frame->call, 0, false);
}

/* Of a call of the thread that initialised, what lies between MPI_Init and MPI_Finalize. */
static void add_to_rank(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_frame *frame,
                        uint64_t ns) {
    struct pinsight_mpi_rank *rank = thread->rank;
    uint64_t end = rank->finalised && rank->end_ns < ns ? rank->end_ns : ns;

    thread->mpi_ns += ns - frame->begin_ns;
    if (thread == rank->main && end > frame->begin_ns)
        rank->mpi_ns += end - frame->begin_ns;
}

static void add_to_site(struct pinsight_mpi_site *site, uint64_t time, int32_t value) {
    if (!site->calls || time < site->min_ns)
        site->min_ns = time;
    if (time > site->max_ns)
        site->max_ns = time;
    site->calls++;
    site->failed += value != 0;
    if (value != 0)
        site->failure = value;
    site->total_ns += time;
}

void pinsight_mpi_end(struct pinsight_mpi_thread *thread, uint32_t function,
                      const struct pinsight_mpi_result *result, uint64_t ns) {
    struct pinsight_mpi *mpi = mpi_in(thread);
    struct pinsight_mpi_rank *rank = thread->rank;
    struct pinsight_mpi_frame *frame;
    size_t depth = thread->depth;

    ns = touch(thread, PINSIGHT_MPI_NO_RANK, ns);
    while (depth && thread->frames[depth - 1].call.function != function)
        depth--;
    if (!depth) {
        mpi->unmatched_ends++;
        return;
    }
    while (thread->depth > depth) { /* their ends were not seen */
        mpi->unmatched_begins++;
        pinsight_mpi_end(thread, thread->frames[thread->depth - 1].call.function,
                         &(struct pinsight_mpi_result){.value = -1}, ns);
    }
    frame = &thread->frames[depth - 1];
    end_roles(thread, frame, result);
    pinsight_mpi_interval_end(mpi, frame->interval, ns);
    pinsight_mpi_interval_unref(mpi, frame->interval);
    if (ns < frame->begin_ns) /* it was held meanwhile */
        ns = frame->begin_ns;
    add_to_site(&mpi->sites[frame->site], ns - frame->begin_ns, result->value);
    pinsight_slice_end(thread->thread, PINSIGHT_SLICE_MPI, depth, ns);
    rank->calls++;
    thread->calls++;
    thread->depth--;
    if (mpi->functions[function].role == PINSIGHT_MPI_INITIALISES && !rank->initialised) {
        rank->initialised = true;
        rank->begin_ns = ns;
        rank->mpi_ns = rank->wait_ns = 0;
        rank->main = thread;
        return;
    }
    if (!thread->depth && mpi->functions[function].role != PINSIGHT_MPI_FINALISES)
        add_to_rank(thread, frame, ns);
}

uint64_t pinsight_mpi_close(struct pinsight_mpi_thread *thread, uint64_t ns) {
    const struct pinsight_model *model = thread->rank->process->model;
    struct pinsight_mpi *mpi = mpi_in(thread);
    uint64_t open = thread->depth;

    while (thread->depth) {
        struct pinsight_mpi_frame *frame = &thread->frames[thread->depth - 1];
        struct pinsight_mpi_site *site = &mpi->sites[frame->site];
        uint64_t time = ns > frame->begin_ns ? ns - frame->begin_ns : 0;

        site->open++;
        if (time > site->open_ns)
            site->open_ns = time;
        /* A rank that hangs records nothing more, and the others end, or wait likewise. */
        if (model->until_ns > frame->begin_ns && model->until_ns - frame->begin_ns > site->open_ns)
            site->open_ns = model->until_ns - frame->begin_ns;
        if (thread->depth == 1 &&
            mpi->functions[frame->call.function].role != PINSIGHT_MPI_FINALISES) {
            thread->rank->last_ns = ns > thread->rank->last_ns ? ns : thread->rank->last_ns;
            if (!thread->rank->finalised)
                thread->rank->end_ns = thread->rank->last_ns;
            add_to_rank(thread, frame, frame->begin_ns + time);
        }
        pinsight_mpi_interval_unref(mpi, frame->interval);
        thread->depth--;
    }
    return open;
}

void pinsight_mpi_leave_out(struct pinsight_mpi_thread *thread, uint64_t before_ns,
                            uint64_t pause_ns) {
    for (size_t i = 0; i < thread->depth; i++) {
        struct pinsight_mpi_frame *frame = &thread->frames[i];

        if (frame->begin_ns >= before_ns)
            continue;
        frame->begin_ns += pause_ns;
        frame->interval->begin_ns += pause_ns;
        frame->interval->charged_ns += pause_ns;
    }
}
