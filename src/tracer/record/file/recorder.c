/* The file recorder in a process; see tracer/record/recorder.h. */
#include "tracer/record/recorder.h"

#include "base/forbidden.h"
#include "format/folder.h"
#include "format/local.h"
#include "tracer/record/counted.h"
#include "tracer/record/file/file_worker.h"
#include "tracer/record/file/persistent.h"
#include "tracer/record/file/recording.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void no_counts(struct pinsight_counts_grant *grant) {
    grant->fd = -1;
    grant->number = 0;
}

/* Joins a folder. `pinsight run` has made it. Without a run, the process makes it. */
static enum pinsight_joined join(struct pinsight_counts_grant *grant) {
    char why[512];
    const char *told = pinsight_recorder_output;
    const char *output = told ? told : getenv("PINSIGHT_OUTPUT");
    no_counts(grant);
    if (!output || *output != '/')
        return PINSIGHT_JOIN_OVER;
    if (pinsight_file_folder_make(output, &pinsight_recording.owned, why, sizeof why) != 0 ||
        !pinsight_file_folder_path(pinsight_recording.folder, output))
        return PINSIGHT_JOIN_UNANSWERED;
    const char *ring = told ? pinsight_recorder_ring : getenv(PINSIGHT_RING_VARIABLE);
    pinsight_recording.is_ring = ring && pinsight_ring_limit_parse(ring, &pinsight_recording.limit);
    pinsight_recording.user = (uint32_t)geteuid();
    int folder = pinsight_recording_folder();
    if (folder < 0)
        return PINSIGHT_JOIN_UNANSWERED;
    pinsight_recording.control = pinsight_file_control_map(folder);
    close(folder);
    if (!pinsight_recording.control)
        return PINSIGHT_JOIN_UNANSWERED;
    gethostname(pinsight_recording.host, sizeof pinsight_recording.host - 1);
    pinsight_local_choose(pinsight_recording.folder, pinsight_recording.control->uuid,
                          pinsight_recording.buffers);
    pinsight_file_worker_ready();
    pinsight_stream_follow_forks();
    pinsight_thread_clock_ready();
    __atomic_store_n(&pinsight_file_listened, 1, __ATOMIC_RELEASE);
    return PINSIGHT_JOINED;
}

static enum pinsight_joined fork_child(struct pinsight_counts_grant *grant) {
    no_counts(grant);
    if (pinsight_recording.control)
        pinsight_file_worker_ready();
    return PINSIGHT_JOINED;
}

/* Completes the buffer of a thread that records nothing any more. */
static void complete(struct pinsight_record_stream *stream) {
    if (stream == pinsight_record_stream)
        pinsight_sync_last(stream);
    pinsight_buffer_unmake(stream);
}

/* Ends the recording. Threads then find no buffer, as in a forked child. */
static void end(void) {
    struct pinsight_control *control = pinsight_recording.control;
    sigset_t old;
    if (!control)
        return;
    __atomic_store_n(&pinsight_file_listened, 0, __ATOMIC_RELEASE);
    pinsight_signals_block(&old);
    pinsight_recording.is_ring = false;
    if (pinsight_pool_empty(complete)) {
        pinsight_ring_end();
        pinsight_file_clocks_note(control);
        pinsight_recording.control = NULL;
        munmap(control, PINSIGHT_CONTROL_BYTES);
    }
    pinsight_signals_unblock(&old);
}

static bool is_ring(void) {
    return pinsight_recording.is_ring;
}

static bool renew(void) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    sigset_t old;
    if (!pinsight_recording.is_ring || !stream->head || stream->busy)
        return false;
    pinsight_signals_block(&old);
    bool is_renewed = pinsight_ring_renew(stream);
    pinsight_signals_unblock(&old);
    return is_renewed;
}

static uintptr_t listeners(void) {
    return (uintptr_t)__atomic_load_n(&pinsight_file_listened, __ATOMIC_RELAXED);
}

static bool may_wait(void) {
    return false;
}

static void thread_end(void) {
    pinsight_stream_leave();
}

static void flush_one(struct pinsight_record_stream *stream) {
    if (stream->busy || !stream->head)
        return;
    stream->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pinsight_buffer_flush(stream);
    if (stream == pinsight_record_stream)
        pinsight_sync_last(stream);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    stream->busy = false;
    if (stream->kept)
        flush_one(stream->kept);
}

/* Writes the own buffer. Buffers of other threads are finished by the reader. */
static void flush(void) {
    struct pinsight_record_stream *own = pinsight_record_stream;
    sigset_t old;
    if (!listeners() || pinsight_file_work_is_forbidden())
        return;
    pinsight_signals_block(&old);
    flush_one(own);
    pinsight_pool_each_free(flush_one);
    pinsight_file_clocks_note(pinsight_recording.control);
    pinsight_signals_unblock(&old);
}

static void restricted(enum pinsight_restriction restriction) {
    static bool forbidden_before;

    switch (restriction) {
    case PINSIGHT_RESTRICTION_CLOCKS:
        atomic_store(&pinsight_clocks_are_forbidden, true);
        return;
    case PINSIGHT_RESTRICTION_FILTER:
        atomic_store(&pinsight_threads_are_filtered, true);
        return;
    case PINSIGHT_RESTRICTION_SIGNALS:
        atomic_store(&pinsight_signals_are_forbidden, true);
        return;
    case PINSIGHT_RESTRICTION_CALLS:
        forbidden_before = atomic_exchange(&pinsight_opens_are_forbidden, true);
        pinsight_file_worker_filtered(PINSIGHT_FILTERED_HERE);
        /* fall through */
    case PINSIGHT_RESTRICTION_PLACE:
        pinsight_file_worker_start();
        return;
    case PINSIGHT_RESTRICTION_ALL_CALLS:
        if (pinsight_recorder_on_alone)
            pinsight_recorder_on_alone(true); /* the filter also affects the core's threads */
        flush();
        forbidden_before = atomic_exchange(&pinsight_opens_are_forbidden, true);
        pinsight_file_worker_filtered(PINSIGHT_FILTERED_ALL);
        return;
    case PINSIGHT_RESTRICTION_FAILED:
        pinsight_file_worker_filtered(PINSIGHT_FILTERED_NOT);
        atomic_store(&pinsight_opens_are_forbidden, forbidden_before);
        if (pinsight_recorder_on_alone)
            pinsight_recorder_on_alone(false);
        return;
    default:
        break;
    }
    if (pinsight_recorder_on_alone)
        pinsight_recorder_on_alone(restriction == PINSIGHT_RESTRICTION_THREADS);
    if (restriction == PINSIGHT_RESTRICTION_THREADS) {
        flush(); /* possibly only this thread may write */
        pinsight_file_worker_end();
    }
}

/* Prepares the process. A forked child finds no buffer, and gets its own. The shim, when it knows
 * of the recorder, ends and restarts the core's threads as needed, and reports actions of the
 * program that affect writing. */
static bool start(void) {
    int (*opened)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_opened");
    void (*on_restriction)(void (*)(enum pinsight_restriction)) =
        (void (*)(void (*)(enum pinsight_restriction)))(uintptr_t)dlsym(
            RTLD_DEFAULT, "pinsight_preload_on_restriction");
    if (opened)
        opened();
    if (on_restriction)
        on_restriction(restricted);
    return true;
}

static uint64_t bytes(void) {
    const struct pinsight_buffer_head *head = pinsight_record_stream->head;
    return pinsight_pool_written() + (head ? head->pos - head->base : 0);
}

const struct pinsight_recorder pinsight_recorder_file = {
    .name = "file",
    .start = start,
    .join = join,
    .fork_child = fork_child,
    .listeners = listeners,
    .is_ring = is_ring,
    .renew = renew,
    .may_wait = may_wait,
    .has_numbers_only = true,
    .unread_ns = UINT64_MAX,
    .thread_end = thread_end,
    .bytes = bytes,
    .keep = pinsight_persistent_allocate,
    .flush = flush,
    .end = end,
    .unanswered = "its folder cannot be written; choose another one with -o",
    .unread = "is the disk full?",
};
