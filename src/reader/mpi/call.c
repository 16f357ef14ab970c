/* Calls of MPI in a thread; see mpi.h. */
#include "base/memory.h"
#include "reader/mpi/state.h"
#include "reader/timeline.h"

#include <stdlib.h>
#include <string.h>

static struct pinsight_mpi *mpi_in(const struct pinsight_mpi_thread *thread) {
    return pinsight_model_mpi(thread->rank->process->model);
}

/* Notes activity of a rank. Returns its time, which never decreases within the rank. */
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

/* Begins the messages and operations of a call. */
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
        frame->receive = pinsight_mpi_post_probed(mpi, rank, frame->site, ns);
    else if (pinsight_mpi_is_collective(function) || function->role == PINSIGHT_MPI_WIN_CREATES)
        frame->instance =
            pinsight_mpi_enter(mpi, rank, frame->site, call, 0, 0, ns, &frame->member);
    else if (function->role == PINSIGHT_MPI_STARTS)
        pinsight_mpi_start(thread, call->request, ns);
    else if (call->win)
        pinsight_mpi_win_begin(thread, frame, ns);
}

/* Returns the bytes that a call sends. A persistent request's bytes belong to the calls that start
 * it. */
static uint64_t bytes_of(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_call *call) {
    const struct pinsight_mpi_function *function = &mpi_in(thread)->functions[call->function];

    if (function->persistent)
        return 0;
    if (function->role == PINSIGHT_MPI_STARTS)
        call = pinsight_mpi_request_call(thread, call->request);
    return call ? call->bytes : 0;
}

/* Reports the call as a slice of the timeline. */
static void show(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_frame *frame,
                 uint64_t ns) {
    const struct pinsight_mpi_call *call = &frame->call;
    const struct pinsight_mpi_state *state = mpi_in(thread)->state;
    bool blocks = mpi_in(thread)->functions[call->function].blocks;
    int32_t peer = call->dest >= 0 ? call->dest : call->root >= 0 ? call->root : call->source;

    pinsight_slice_begin(thread->thread,
                         &(struct pinsight_slice){.kind = PINSIGHT_SLICE_MPI,
                                                  /* unless the end of the call is more exact */
                                                  .waited_ns = blocks ? PINSIGHT_WAITS_ALWAYS : 0,
                                                  .id = frame->site,
                                                  .path = call->path,
                                                  .native = call->native,
                                                  .forward = PINSIGHT_NONE,
                                                  .key = thread->depth,
                                                  .out = state->out,
                                                  .outs = state->outs,
                                                  .bytes = bytes_of(thread, call),
                                                  .peer = peer,
                                                  .tag = call->tag},
                         ns);
}

/* Begins a call of a thread that is not the main one. */
static void begin_other(struct pinsight_mpi_rank *rank, struct pinsight_mpi_frame *frame,
                        uint64_t ns) {
    frame->other = true;
    if (!rank->others_in++)
        rank->others_since_ns = ns;
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
        thread->rank->finalised_ns = ns;
        thread->rank->end_ns = ns;
    }
    frame = &thread->frames[thread->depth++];
    *frame = (struct pinsight_mpi_frame){.call = *call, .begin_ns = ns};
    frame->site = pinsight_mpi_site(mpi, thread->rank, call->function, call->path, call->native);
    thread->rank->last_site = frame->site;
    if (function->role == PINSIGHT_MPI_ABORTS) {
        thread->rank->abort_site = frame->site;
        thread->rank->aborted_ns = ns;
    }
    if (!function->persistent) /* each start of it sends */
        mpi->sites[frame->site].sent_bytes += call->bytes;
    frame->interval =
        pinsight_mpi_interval_new(mpi, frame->site,
                                  thread->depth > 1              ? PINSIGHT_MPI_NOBODY
                                  : thread == thread->rank->main ? PINSIGHT_MPI_MAIN
                                                                 : PINSIGHT_MPI_OTHERS,
                                  ns);
    if (thread->depth == 1 && thread != thread->rank->main)
        begin_other(thread->rank, frame, ns);
    begin_roles(thread, frame, function, ns);
    show(thread, frame, ns);
    frame->shown = true;
    frame->collective = pinsight_mpi_report_begin(thread, call);
}

/* Ends a receive that ended with its call. */
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
    frame->unknown |=
        !pinsight_mpi_received(mpi, receive, source, tag, result->bytes, frame->interval);
}

/* Returns whether a blocking call waited for an activity that is not followed, so that the end of
 * the wait is unknown. */
static bool is_lost(const struct pinsight_mpi_frame *frame,
                    const struct pinsight_mpi_function *function) {
    if (pinsight_mpi_is_collective(function) || function->role == PINSIGHT_MPI_WIN_FENCES)
        return !frame->instance;
    if (function->role == PINSIGHT_MPI_RECEIVES || function->role == PINSIGHT_MPI_EXCHANGES)
        return !frame->receive && (function->role == PINSIGHT_MPI_EXCHANGES
                                       ? frame->call.receive_source
                                       : frame->call.source) != PINSIGHT_MPI_PROC_NULL;
    return false;
}

static void end_roles(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                      const struct pinsight_mpi_result *result) {
    struct pinsight_mpi *mpi = mpi_in(thread);
    const struct pinsight_mpi_function *function = &mpi->functions[frame->call.function];

    if (frame->call.win)
        pinsight_mpi_win_end(thread, frame, mpi->state->now_ns);
    if (result->request && function->role != PINSIGHT_MPI_STARTS &&
        function->role != PINSIGHT_MPI_FREES && result->request != frame->call.request) {
        pinsight_mpi_request_made(thread, frame, result->request);
        if (!function->persistent)
            pinsight_mpi_report_request(thread, &frame->call, result->request);
        return;
    }
    if (function->non_blocking && frame->message)
        pinsight_mpi_report_request(thread, &frame->call, 0);
    frame->unknown |= is_lost(frame, function);
    if (function->role == PINSIGHT_MPI_PROBES)
        frame->unknown |= !result->has_status || result->source < 0 ||
                          !pinsight_mpi_probed(mpi, thread->rank, frame->call.comm, result,
                                               function->removes, frame->interval);
    if (function->role == PINSIGHT_MPI_FREES)
        pinsight_mpi_request_freed(thread, frame->call.request);
    if (frame->receive)
        end_receive(mpi, frame, result);
    if (frame->message)
        pinsight_mpi_frame_awaits(frame, pinsight_mpi_posted_ns(frame->message), true);
    pinsight_mpi_sent(mpi, frame->message, frame->interval);
    if (frame->instance) {
        pinsight_mpi_frame_awaits(frame, pinsight_mpi_awaited(mpi, frame->instance, frame->member),
                                  false);
        pinsight_mpi_leave(mpi, frame->instance, frame->member, frame->interval);
    }
    if (frame->collective)
        pinsight_mpi_report_done(thread, &frame->call, 0, false);
}

/* Adds the part of an outermost call between MPI_Init and MPI_Finalize. */
static void add_to_rank(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_frame *frame,
                        uint64_t ns) {
    struct pinsight_mpi_rank *rank = thread->rank;
    uint64_t end = rank->finalised && rank->end_ns < ns ? rank->end_ns : ns;
    enum pinsight_mpi_who who = thread == rank->main ? PINSIGHT_MPI_MAIN : PINSIGHT_MPI_OTHERS;

    thread->mpi_ns += pinsight_time_rest(ns, frame->begin_ns);
    rank->made[who]++;
    if (who == PINSIGHT_MPI_MAIN && end > frame->begin_ns)
        rank->mpi_ns[who] += end - frame->begin_ns;
}

/* Ends the outermost call of a thread that was not the main one at its begin. */
static void end_other(struct pinsight_mpi_rank *rank, uint64_t ns) {
    uint64_t end = rank->finalised && rank->end_ns < ns ? rank->end_ns : ns;

    if (!--rank->others_in && end > rank->others_since_ns)
        rank->mpi_ns[PINSIGHT_MPI_OTHERS] += end - rank->others_since_ns;
}

static void add_to_site(struct pinsight_mpi_site *site, uint64_t time, int32_t value) {
    pinsight_extremes_add(&site->min_ns, &site->max_ns, !site->calls, time, time);
    site->calls++;
    site->failed += value != 0;
    if (value != 0)
        site->failure = value;
    site->total_ns += time;
}

/* Returns how long a finished call waited until others had done their part. */
static uint64_t waited_ns(const struct pinsight_mpi *mpi, const struct pinsight_mpi_frame *frame) {
    uint64_t until = frame->interval->charged_ns;

    if (frame->unknown && mpi->functions[frame->call.function].blocks)
        return PINSIGHT_WAITS_ALWAYS;
    if (frame->awaited_ns > until)
        until = frame->awaited_ns;
    return until > frame->begin_ns ? until - frame->begin_ns : 0;
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
    while (thread->depth > depth) { /* calls without an end */
        mpi->unmatched_begins++;
        pinsight_mpi_end(thread, thread->frames[thread->depth - 1].call.function,
                         &(struct pinsight_mpi_result){.value = -1}, ns);
    }
    frame = &thread->frames[depth - 1];
    end_roles(thread, frame, result);
    pinsight_mpi_interval_end(mpi, frame->interval, ns);
    pinsight_slice_set_wait(thread->thread, PINSIGHT_SLICE_MPI, depth, waited_ns(mpi, frame));
    pinsight_mpi_interval_unref(mpi, frame->interval);
    if (ns < frame->begin_ns) /* the begin was moved by a pause */
        ns = frame->begin_ns;
    add_to_site(&mpi->sites[frame->site], ns - frame->begin_ns, result->value);
    pinsight_slice_end(thread->thread, PINSIGHT_SLICE_MPI, depth, ns);
    rank->calls++;
    thread->calls++;
    thread->depth--;
    if (frame->other)
        end_other(rank, ns);
    rank->sessions |= mpi->functions[function].session;
    if (mpi->functions[function].role == PINSIGHT_MPI_INITIALISES && !rank->initialised) {
        rank->initialised = true;
        rank->begin_ns = ns;
        memset(rank->made, 0, sizeof(rank->made));
        memset(rank->mpi_ns, 0, sizeof(rank->mpi_ns));
        memset(rank->wait_ns, 0, sizeof(rank->wait_ns));
        rank->main = thread;
        return;
    }
    if (!thread->depth && mpi->functions[function].role != PINSIGHT_MPI_FINALISES)
        add_to_rank(thread, frame, ns);
}

bool pinsight_mpi_hangs(const struct pinsight_process *process) {
    for (size_t i = 0; i < process->thread_count; i++)
        if (pinsight_thread_mpi(process->thread_list[i]) &&
            pinsight_thread_mpi(process->thread_list[i])->depth)
            return true;
    return false;
}

void pinsight_mpi_note_end(struct pinsight_mpi_rank *rank) {
    const struct pinsight_slice *frame =
        rank->main ? pinsight_chain_top(rank->main->thread, READER_PYTHON) : NULL;

    if (!frame)
        return;
    rank->in_kind = frame->kind == PINSIGHT_SLICE_FUNCTION ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL;
    rank->in = frame->id;
}

uint64_t pinsight_mpi_close(struct pinsight_thread *of, uint64_t ns) {
    struct pinsight_mpi_thread *thread = pinsight_thread_mpi(of);
    uint64_t open = thread ? thread->depth : 0;

    while (thread && thread->depth) {
        struct pinsight_mpi *mpi = mpi_in(thread);
        struct pinsight_mpi_rank *rank = thread->rank;
        struct pinsight_mpi_frame *frame = &thread->frames[thread->depth - 1];
        struct pinsight_mpi_site *site = &mpi->sites[frame->site];
        uint64_t time = ns > frame->begin_ns ? ns - frame->begin_ns : 0;

        add_to_site(site, time, 0);
        site->open++;
        if (time > site->open_ns)
            site->open_ns = time;
        rank->open++;
        rank->calls++;
        thread->calls++;
        if (thread->depth == 1 &&
            mpi->functions[frame->call.function].role != PINSIGHT_MPI_FINALISES) {
            rank->last_ns = ns > rank->last_ns ? ns : rank->last_ns;
            if (!rank->finalised)
                rank->end_ns = rank->last_ns;
            add_to_rank(thread, frame, frame->begin_ns + time);
            if (time > rank->open_ns[thread != rank->main])
                rank->open_ns[thread != rank->main] = time;
        }
        if (frame->other)
            end_other(rank, frame->begin_ns + time);
        pinsight_mpi_interval_unref(mpi, frame->interval);
        thread->depth--;
    }
    return open;
}

void pinsight_mpi_pause(struct pinsight_thread *of, uint64_t before_ns, uint64_t pause_ns) {
    struct pinsight_mpi_thread *thread = pinsight_thread_mpi(of);
    struct pinsight_mpi_rank *rank = thread ? thread->rank : NULL;

    if (!thread)
        return;
    /* once for each pause, for all other threads together */
    if (rank->others_in && rank->others_since_ns < before_ns && rank->others_held_ns != before_ns) {
        rank->others_since_ns += pause_ns;
        rank->others_held_ns = before_ns;
    }
    for (size_t i = 0; i < thread->depth; i++) {
        struct pinsight_mpi_frame *frame = &thread->frames[i];

        if (frame->begin_ns >= before_ns)
            continue;
        frame->begin_ns += pause_ns;
        frame->interval->begin_ns += pause_ns;
        frame->interval->charged_ns += pause_ns;
    }
}
