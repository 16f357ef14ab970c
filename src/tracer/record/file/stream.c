/* Stores events that are not stored inline; see tracer/record/stream.h. */
#include "tracer/record/file/recording.h"

#include "base/kernel_clock.h"
#include "format/folder.h"
#include "tracer/record/file/file_worker.h"
#include "tracer/record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The longest text. Longer ones are cut off, because an event must fit into a buffer. */
#define TEXT_MOST 16384
/* The number of lost events after which the thread tries again to get a buffer. */
#define RETRY_EVENTS 1024

struct pinsight_file_recording pinsight_recording;
int pinsight_file_listened;

static inline uint64_t counter(bool ordered) {
    if (ordered)
        pinsight_stream_order();
    return pinsight_stream_ticks();
}

uint64_t pinsight_recording_now(bool ordered) {
    if (!pinsight_recording.control->has_counter)
        return pinsight_kernel_ns(CLOCK_MONOTONIC);
    return counter(ordered);
}

uint64_t pinsight_recording_ticks(uint64_t ns) {
    const struct pinsight_control *control = pinsight_recording.control;
    struct pinsight_clocks now;
    pinsight_file_clocks(&now, control->has_counter);
    uint64_t ticks = now.ticks - control->first.ticks;
    uint64_t passed = now.monotonic - control->first.monotonic;
    if (!control->has_counter || !passed || !ticks)
        return ns;
    return (uint64_t)((double)ns * (double)ticks / (double)passed);
}

size_t pinsight_stream_text_bytes(const char *text) {
    return text ? strnlen(text, TEXT_MOST) + 1 : 1;
}

void pinsight_recording_lost(struct pinsight_record_stream *stream, uint64_t *number,
                             uint64_t events) {
    __atomic_fetch_add(number, events, __ATOMIC_RELAXED);
    if (stream)
        __atomic_fetch_add(&stream->head->lost_events, events, __ATOMIC_RELAXED);
}

/* ---- forks ---- */

/*
 * A signal handler may fork in the middle of an event. The child may continue the event when the
 * handler returns, and would store the rest into the parent's buffer. Therefore the child gets
 * private memory at the addresses of the buffer, and its copy of the stream is restored. The event
 * ends in memory that no process reads. Later events have a stream of their own.
 *
 * Children of _Fork() and of the system call run no handler. They find an empty stream, and their
 * event is not recorded (PINSIGHT_READ_ONCE in stream.h).
 */
static void copy_busy(const struct pinsight_record_stream *stream) {
    if (stream && stream->head)
        *pinsight_tls_copy(stream) = *stream;
}

static void before_fork(void) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    copy_busy(stream);
    copy_busy(stream->kept);
}

/* Returns true once if the copy was made within an event. */
static bool was_busy(const struct pinsight_record_stream *stream) {
    struct pinsight_record_stream *copy = stream ? pinsight_tls_copy(stream) : NULL;
    bool is_busy = copy && copy->busy;
    if (is_busy)
        copy->busy = false;
    return is_busy;
}

static void forked(void) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    if (!pinsight_tls_is_own(stream))
        return;
    was_busy(stream);
    was_busy(pinsight_tls_copy(stream)->kept);
}

static bool resume(struct pinsight_record_stream *stream) {
    const struct pinsight_record_stream *copy = stream ? pinsight_tls_copy(stream) : NULL;
    if (!was_busy(stream) ||
        mmap(copy->head, PINSIGHT_BUFFER_HEAD_BYTES + copy->size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    *stream = *copy;
    stream->busy = true;
    stream->end = NULL;
    stream->kept = NULL;
    return true;
}

static void forked_child(void) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    if (!pinsight_tls_is_own(stream))
        return;
    bool kept_goes_on = resume(pinsight_tls_copy(stream)->kept);
    if (resume(stream) || kept_goes_on) {
        struct pinsight_record_stream *own = pinsight_tls_take();
        if (own)
            pinsight_tls_move(own);
        else
            pinsight_tls_end();
    }
}

void pinsight_stream_follow_forks(void) {
    static bool follows;
    if (!follows)
        follows = pthread_atfork(before_fork, forked, forked_child) == 0;
}

/* ---- events ---- */

/* Gets a stream for the thread's first event, or for the first one after a fork. */
static struct pinsight_record_stream *attach(struct pinsight_record_stream *stream) {
    static _Atomic uint32_t failures; /* since the last buffer */
    bool is_forbidden = pinsight_file_work_is_forbidden();
    if (is_forbidden)
        pinsight_file_note_why(pinsight_recording.control, ENOSYS);
    if (is_forbidden || (failures && failures++ % RETRY_EVENTS != 0)) {
        pinsight_recording_lost(NULL, &pinsight_recording.control->no_buffer, 1);
        return NULL;
    }
    sigset_t old;
    pinsight_signals_block(&old);
    struct pinsight_record_stream *had = pinsight_tls_is_own(stream) ? stream : NULL;
    stream = pinsight_pool_take(had);
    int error = errno;
    if (stream && stream != had) {
        pinsight_tls_move(stream);
        if (had)
            pinsight_tls_give(had);
    }
    pinsight_signals_unblock(&old);
    if (!stream) {
        failures++;
        pinsight_recording_lost(NULL, &pinsight_recording.control->no_buffer, 1);
        pinsight_file_note_why(pinsight_recording.control, error);
        if (pinsight_recorder_on_loss)
            pinsight_recorder_on_loss(pinsight_recording.folder, pinsight_file_why_lost(error));
        return NULL;
    }
    failures = 0;
    if (pinsight_recorder_on_first)
        pinsight_recorder_on_first();
    return stream;
}

/* Returns the thread's stream for data that a flight recorder never drops. */
static struct pinsight_record_stream *kept(struct pinsight_record_stream *stream) {
    sigset_t old;
    if (!stream->kept && pinsight_file_work_is_forbidden()) {
        pinsight_recording_lost(NULL, &pinsight_recording.control->no_buffer, 1);
        return NULL;
    }
    pinsight_signals_block(&old);
    stream = pinsight_pool_kept(stream);
    pinsight_signals_unblock(&old);
    if (stream && !stream->busy)
        return stream;
    pinsight_recording_lost(
        stream,
        stream ? &pinsight_recording.control->refused : &pinsight_recording.control->no_buffer, 1);
    return NULL;
}

/* Empties the buffer, and enlarges it for `needed` bytes. A buffer that was full also becomes
 * larger. */
static bool empty(struct pinsight_record_stream *stream, size_t needed, bool was_full) {
    uint64_t size = stream->size;
    pinsight_buffer_flush(stream);
    while (size < needed || (was_full && size < 4 * stream->size))
        size *= 4;
    if (size > stream->size)
        pinsight_buffer_grow(stream, size);
    return stream->size >= needed;
}

/* Makes room for `bytes` bytes, in a new packet of this thread. The packet follows another thread's
 * in the buffer if there is room, so that passing on a buffer needs no write. */
static bool renew(struct pinsight_record_stream *stream, size_t bytes) {
    const struct pinsight_buffer_head *head = stream->head;
    if (!head) /* a signal handler forked */
        return false;
    size_t needed = bytes + sizeof(struct pinsight_packet_head) + PINSIGHT_SYNC_BYTES +
                    pinsight_thread_definitions_bytes(stream) + PINSIGHT_STREAM_SPARE;
    bool was_full = head->pos - head->packet >= stream->size / 2; /* by this packet */
    pinsight_buffer_close(stream);
    if (stream->size - (head->pos - head->base) < needed && !empty(stream, needed, was_full))
        return false;
    pinsight_buffer_begin(stream, pinsight_recording_now(false));
    pinsight_sync_if_due(stream);
    pinsight_thread_definitions_repeat(stream);
    return true;
}

static bool make_room(struct pinsight_record_stream *stream, size_t bytes) {
    sigset_t old;
    if (pinsight_file_work_is_forbidden())
        return false;
    pinsight_signals_block(&old);
    bool is_there = renew(stream, bytes);
    pinsight_signals_unblock(&old);
    return is_there;
}

/* Returns whether the current packet belongs to this thread. */
static bool is_own_packet(const struct pinsight_record_stream *stream) {
    struct pinsight_packet_head packet = {.vtid = 0};
    sigset_t old;
    pinsight_signals_block(&old);
    if (stream->head && stream->head->pos != stream->head->base)
        memcpy(&packet, pinsight_buffer_packet(stream), sizeof packet);
    pinsight_signals_unblock(&old);
    return packet.vtid == stream->tid;
}

static bool has_room(const struct pinsight_record_stream *stream, size_t bytes) {
    return stream->at + bytes + PINSIGHT_STREAM_SPARE <= stream->buffer + stream->size;
}

/* Stores the head of an event at the time `now`. There must be room. Returns false in the child of
 * a signal handler that forked. */
static inline bool begin_event(struct pinsight_record_stream *stream,
                               const struct pinsight_event_number *number, uint64_t now,
                               struct pinsight_event_place *place) {
    struct pinsight_buffer_head *head = PINSIGHT_READ_ONCE(stream->head);
    if (!head)
        return false;
    if (now < head->last)
        now = head->last; /* readers stop at a time that decreases */
    if (__builtin_expect(pinsight_thread_clock_is_due(stream, now - head->last, now), 0))
        pinsight_thread_clock_record(stream, head, now);
    uint32_t tid = PINSIGHT_READ_ONCE(stream->tid);
    uint8_t *at = PINSIGHT_READ_ONCE(stream->at);
    if (!at)
        return false;
    bool is_frequent = number->frequent != PINSIGHT_NOT_FREQUENT &&
                       (now - head->last) >> PINSIGHT_COMPACT_TIME_BITS == 0;
    if (is_frequent) {
        uint32_t word = (uint32_t)now << PINSIGHT_COMPACT_NUMBER_BITS | number->frequent;
        at = PINSIGHT_STORE(at, word);
    } else {
        const uint8_t extended = PINSIGHT_EXTENDED;
        const uint32_t wide = number->number;
        at = PINSIGHT_STORE(at, extended);
        at = PINSIGHT_STORE(at, wide);
        at = PINSIGHT_STORE(at, now);
    }
    head->last = now;
    *place = (struct pinsight_event_place){stream, head, at, tid, is_frequent};
    return true;
}

/* Like pinsight_stream_reserve(), for all cases. `bytes` includes the head. */
static __attribute__((noinline, cold)) bool reserve_slow(const struct pinsight_event_number *number,
                                                         size_t bytes,
                                                         struct pinsight_event_place *place) {
    if (!__atomic_load_n(&pinsight_file_listened, __ATOMIC_ACQUIRE))
        return false;
    struct pinsight_record_stream *stream;
again:
    stream = pinsight_record_stream;
    if (stream->busy) {
        pinsight_recording_lost(stream, &pinsight_recording.control->refused, 1);
        return false;
    }
    int error = errno;
    bool is_stored = false;
    bool is_new = !stream->head;
    if (is_new)
        stream = attach(stream);
    if (stream && pinsight_recording.is_ring && number->is_kept) {
        stream = kept(stream);
        is_new = true;
    }
    if (!stream)
        goto out;
    stream->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct pinsight_buffer_head *head = PINSIGHT_READ_ONCE(stream->head);
    bool is_there =
        head && head->pos != head->base && !stream->is_taken && (!is_new || is_own_packet(stream));
    stream->is_taken = false;
    if (head && (!is_there || !has_room(stream, bytes)) && !make_room(stream, bytes) &&
        stream->head) {
        pinsight_recording_lost(stream, &pinsight_recording.control->no_buffer, 1);
        stream->busy = false;
        goto out;
    }
    if (!begin_event(stream, number, pinsight_recording_now(number->ends_wait), place)) {
        stream->busy = false; /* in the child of a signal handler */
        errno = error;
        goto again;
    }
    is_stored = true;
out:
    errno = error;
    return is_stored;
}

/* Returns whether there is no room. `end` is NULL if the counter is not the clock, if there is no
 * current packet, and in a forked child. */
static inline bool lacks_room(const struct pinsight_record_stream *stream, size_t bytes) {
    return (uintptr_t)stream->at + bytes > (uintptr_t)stream->end;
}

bool pinsight_stream_reserve(const struct pinsight_event_number *number, size_t bytes,
                             struct pinsight_event_place *place) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    bytes += PINSIGHT_EXTENDED_BYTES + PINSIGHT_THREAD_CLOCK_BYTES;
    if (__builtin_expect(stream->busy || lacks_room(stream, bytes) ||
                             (number->is_kept && pinsight_recording.is_ring),
                         0))
        return reserve_slow(number, bytes, place);
    stream->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(lacks_room(stream, bytes), 0)) { /* a signal handler recorded or forked */
        stream->busy = false;
        return reserve_slow(number, bytes, place);
    }
    if (__builtin_expect(!begin_event(stream, number, counter(number->ends_wait), place), 0)) {
        stream->busy = false;
        return reserve_slow(number, bytes, place);
    }
    return true;
}

void pinsight_stream_leave(void) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    if (!stream->head || stream->busy)
        return;
    pinsight_tls_end();
    pinsight_pool_give(stream);
}
