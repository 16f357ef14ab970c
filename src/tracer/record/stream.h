/*
 * The file recorder's streams: where the events of a thread are stored, and how a frequent small
 * event is stored without a call.
 *
 * Each thread has a buffer of its own in a mapped file (format/layout.h). The struct below
 * lies in memory that the kernel wipes in a forked child (madvise(2), MADV_WIPEONFORK). The child
 * finds no buffer and gets its own, however it was forked.
 *
 * With another recorder, no thread has a buffer, and the functions here find none.
 */
#ifndef PINSIGHT_RECORD_STREAM_H
#define PINSIGHT_RECORD_STREAM_H

#include "format/layout.h"
#include "format/ticks.h"
#include "pinsight/pinsight.h"
#include "tracer/record/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes behind `end`: the most that an inline event with its head may have. */
#define PINSIGHT_STREAM_SPARE 32

struct pinsight_record_stream {
    uint8_t *at;  /* position of the next event */
    uint8_t *end; /* an event may begin below it; NULL: only reserve() may store */
    struct pinsight_buffer_head *head;
    uint64_t shift; /* `at` plus `shift` is the position in the stream's file */
    /* In ticks. reserve() has to store an event that comes more than `gap` after the last one, or
     * at `look_at` or later; see tracer/record/file/thread_clock.c. `gap` fits the small head. */
    uint64_t gap, look_at;
    bool busy; /* an event is being stored; a signal handler's event is refused */

    /* For tracer/record/file/stream.c alone. */
    uint8_t *buffer;
    uint64_t size; /* size of the buffer */
    uint32_t number;
    uint32_t tid;
    uint64_t sequence;                   /* number of the packet */
    uint64_t begun;                      /* ticks: begin of its file */
    uint64_t clock_read;                 /* ticks: last reading of the thread's clock; 0: none */
    uint64_t processor_ns, run_delay_ns; /* the values read then */
    /* its file may be closed, and the open calls recorded again */
    bool renews;
    bool open_is_due; /* the open calls are not in its file yet */
    bool is_kept;     /* a flight recorder drops nothing of it */
    bool is_taken;    /* a thread took it and has stored nothing; the packet is another's */
    struct pinsight_record_stream *kept; /* the thread's stream for data that is never dropped */
    struct pinsight_record_stream *next, *next_free;
};

/* An event's properties for the file recorder. */
struct pinsight_event_number {
    uint16_t number;
    uint8_t frequent;  /* its frequent number, or PINSIGHT_NOT_FREQUENT */
    uint8_t ends_wait; /* it follows an event of another thread, so its time must be ordered */
    uint8_t is_kept;   /* later events may refer to it, so a flight recorder keeps it */
};

#define PINSIGHT_NOT_FREQUENT 255

/* An event that is being stored. */
struct pinsight_event_place {
    struct pinsight_record_stream *stream;
    struct pinsight_buffer_head *head;
    uint8_t *at;      /* position of its next field */
    uint32_t tid;     /* its thread; undefined for inline events */
    bool is_frequent; /* it has the small head */
};

/*
 * Begins an event whose fields take `bytes`. Returns false if it is not recorded: the process does
 * not record, the event interrupts another one, or the disk is full, which is counted. Otherwise
 * pinsight_stream_commit() must follow. May write to the disk. Any thread. Async-signal-safe.
 */
PINSIGHT_API bool pinsight_stream_reserve(const struct pinsight_event_number *number, size_t bytes,
                                          struct pinsight_event_place *place);

/*
 * Like pinsight_stream_reserve() and pinsight_stream_commit(), for an event that defines the thread
 * `tid`. If this is the calling thread, a flight recorder keeps the event as long as others of the
 * thread, otherwise for ever. Both take the same `number`.
 */
PINSIGHT_API bool pinsight_stream_reserve_of_thread(const struct pinsight_event_number *number,
                                                    size_t bytes, uint32_t tid,
                                                    struct pinsight_event_place *place);
PINSIGHT_API void pinsight_stream_commit_of_thread(const struct pinsight_event_number *number,
                                                   const struct pinsight_event_place *place,
                                                   uint8_t *at);

/* Returns the bytes of a text with its final zero byte. A very long text is cut off. NULL counts as
 * empty. */
PINSIGHT_API size_t pinsight_stream_text_bytes(const char *text);

/* Returns the time of the trace's clock at a time of CLOCK_MONOTONIC in ns, which must not be in
 * the future. For times in the fields of events. Returns 0 for 0. May take a microsecond. Any
 * thread. */
PINSIGHT_API uint64_t pinsight_stream_ticks_of(uint64_t monotonic_ns);

/*
 * A signal handler may fork between any two instructions. Its child may return from the handler and
 * continue the event. The stream is then suddenly empty, and the rest of the event would go to the
 * parent's buffer. Therefore each needed member is read once, in this order: the head, and then
 * `at`, which is NULL in such a child. Whatever the child stores after that equals the parent's
 * data at the same place.
 */
#define PINSIGHT_READ_ONCE(field) (*(volatile __typeof__(field) *)&(field))

/* Makes data up to `at` visible to readers. Does nothing in a child as above. */
static inline void pinsight_stream_publish(struct pinsight_record_stream *stream,
                                           struct pinsight_buffer_head *head, uint8_t *at) {
    uint64_t shift = PINSIGHT_READ_ONCE(stream->shift);
    stream->at = at;
    if (__builtin_expect(shift != 0, 1))
        __atomic_store_n(&head->pos, (uint64_t)(uintptr_t)at + shift, __ATOMIC_RELEASE);
}

/* Ends an event whose fields end at `at`. */
static inline void pinsight_stream_commit(const struct pinsight_event_place *place, uint8_t *at) {
    pinsight_stream_publish(place->stream, place->head, at);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    place->stream->busy = false;
}

/* The listener flag in the file recorder's table of every domain: 1 while it records. */
extern PINSIGHT_API int pinsight_file_listened;

/* Returns whether the thread's clock must be read before an event at `now`, which comes `later`
 * ticks after the last one or before it. */
static inline bool pinsight_thread_clock_is_due(const struct pinsight_record_stream *stream,
                                                uint64_t later, uint64_t now) {
    return later > stream->gap || now >= stream->look_at;
}

/* Orders a later reading of the counter after earlier loads. The processor may otherwise read it
 * before they are done (Intel SDM vol. 2B, RDTSC; Arm ARM D12.2.1). An event that follows another
 * thread's would then be earlier than its cause. */
static inline void pinsight_stream_order(void) {
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/*
 * Begins a frequent event that has at most PINSIGHT_STREAM_SPARE + `more` bytes with its head.
 * Returns false if reserve() has to store it. `ordered` is `ends_wait` of the event's number.
 *
 * `now` is the event's time from pinsight_stream_ticks(), or 0 to read it here. The processor reads
 * the counter only after all earlier instructions, so that preceding look-ups delay the reading. A
 * caller that reads it first has the reading done beside later instructions.
 */
static inline __attribute__((always_inline)) bool
pinsight_stream_take_more(uint32_t frequent, bool ordered, size_t more, uint64_t now,
                          struct pinsight_event_place *place) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    if (__builtin_expect(stream->busy || (uintptr_t)stream->at + more >= (uintptr_t)stream->end, 0))
        return false;
    stream->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (ordered)
        pinsight_stream_order();
    if (!now)
        now = pinsight_stream_ticks();
    struct pinsight_buffer_head *head = PINSIGHT_READ_ONCE(stream->head);
    uint8_t *at = PINSIGHT_READ_ONCE(stream->at);
    /* A signal handler may have forked, or recorded a later event, just before. */
    if (__builtin_expect((uintptr_t)at + more >= (uintptr_t)stream->end, 0) ||
        __builtin_expect(pinsight_thread_clock_is_due(stream, now - head->last, now), 0)) {
        stream->busy = false;
        return false;
    }
    head->last = now;
    uint32_t word = (uint32_t)now << PINSIGHT_COMPACT_NUMBER_BITS | frequent;
    memcpy(at, &word, sizeof word);
    *place = (struct pinsight_event_place){stream, head, at + sizeof word, 0, true};
    return true;
}

/* Like pinsight_stream_take_more(), for an event that has at most PINSIGHT_STREAM_SPARE bytes. */
static inline __attribute__((always_inline)) bool
pinsight_stream_take(uint32_t frequent, uint64_t now, struct pinsight_event_place *place) {
    return pinsight_stream_take_more(frequent, false, 0, now, place);
}

/* Stores a number. Yields the position of the next field. */
#define PINSIGHT_STORE(at, value) ((uint8_t *)memcpy((at), &(value), sizeof(value)) + sizeof(value))

/* Stores a text of `bytes` bytes, including its final zero byte. Returns the position of the next
 * field. */
static inline uint8_t *pinsight_store_text(uint8_t *at, const char *text, size_t bytes) {
    if (bytes > 1)
        memcpy(at, text, bytes - 1);
    at[bytes - 1] = '\0';
    return at + bytes;
}

#endif
