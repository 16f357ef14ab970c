/*
 * Where the file recorder puts the events of a thread, and how an event that is frequent and small
 * gets there without a call.
 *
 * Each thread has a buffer of its own in a mapped file (record/file/layout.h). What is in the
 * struct below lies in memory that the kernel wipes in a forked child, madvise(2),
 * MADV_WIPEONFORK: the child finds no buffer and gets one of its own, however it was forked.
 *
 * Where another recorder is in force no thread has a buffer, and the functions here find none.
 */
#ifndef PINSIGHT_RECORD_STREAM_H
#define PINSIGHT_RECORD_STREAM_H

#include "pinsight/pinsight.h"
#include "record/file/layout.h"
#include "record/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Room behind `end`: an event that is stored inline, with its head, has no more. */
#define PINSIGHT_STREAM_SPARE 32

struct pinsight_record_stream {
    uint8_t *at;  /* where the next event goes */
    uint8_t *end; /* an event may begin below this; NULL: only reserve() knows */
    struct pinsight_buffer_head *head;
    uint64_t shift; /* `at` with this added is the place in the stream's file */
    /* Ticks: reserve() has to take an event that comes more than `gap` after the last one, or that
     * comes at `look_at` or later; see record/file/thread_clock.c. `gap` fits the small head. */
    uint64_t gap, look_at;
    bool busy; /* an event is being stored: one of a signal handler is refused */

    /* For record/file/stream.c alone. */
    uint8_t *buffer;
    uint64_t size; /* of the buffer */
    uint32_t number;
    uint32_t tid;
    uint64_t sequence;                   /* of the packet */
    uint64_t begun;                      /* ticks: when its file was */
    uint64_t clock_read;                 /* ticks: when the thread's clock was read; 0: not yet */
    uint64_t processor_ns, run_delay_ns; /* what was read then, and what was read at last */
    bool renews;                         /* its file may be closed: what is open is said after it */
    bool open_is_due;                    /* what is open was not said since its file was begun */
    bool is_kept;                        /* nothing is dropped of it */
    bool is_taken; /* by a thread that has stored nothing in it: the packet is another's */
    struct pinsight_record_stream *kept; /* of this thread too: what is kept whatever is dropped */
    struct pinsight_record_stream *next, *next_free;
};

/* An event as the file recorder knows it. */
struct pinsight_event_number {
    uint16_t number;
    uint8_t frequent;  /* its number where it is frequent, else PINSIGHT_NOT_FREQUENT */
    uint8_t ends_wait; /* what it waits for is told by another thread before it */
    uint8_t is_kept;   /* later events may refer to it, so that a ring keeps it */
};

#define PINSIGHT_NOT_FREQUENT 255

/* An event that is being stored. */
struct pinsight_event_place {
    struct pinsight_record_stream *stream;
    struct pinsight_buffer_head *head;
    uint8_t *at;      /* where its fields go */
    uint32_t tid;     /* whose it is; not of those that are stored inline */
    bool is_frequent; /* it has the small head */
};

/*
 * Begins an event whose fields take `bytes`. False where it is not recorded: nobody records, it
 * came within another one, or there is no room on the disk, which is counted. Else
 * pinsight_stream_commit follows. Any thread, also in a signal handler. May write to the disk.
 */
PINSIGHT_API bool pinsight_stream_reserve(const struct pinsight_event_number *number, size_t bytes,
                                          struct pinsight_event_place *place);

/* What a text takes with its end; a text that is very long is cut. NULL is an empty one. */
PINSIGHT_API size_t pinsight_stream_text_bytes(const char *text);

/* The time, by the clock of the trace: the processor's counter. */
static inline uint64_t pinsight_stream_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* The time of the trace's clock when CLOCK_MONOTONIC was `monotonic_ns`, which is not in the
 * future: what an event tells of another time than its own. 0 stays 0. Any thread; may take a
 * microsecond.
 */
PINSIGHT_API uint64_t pinsight_stream_ticks_of(uint64_t monotonic_ns);

/*
 * A signal handler may strike between any two instructions and fork. Its child may return from it,
 * and go on with the event: then the stream is empty all of a sudden, and the rest of the event
 * would go to the parent's buffer. So what is needed is read once, in this order: the head, then
 * `at`, which is NULL in such a child. What the child stores after that is what its parent stores
 * there, too.
 */
#define PINSIGHT_READ_ONCE(field) (*(volatile __typeof__(field) *)&(field))

/* Lets readers see what is stored until `at`. Not in a child as above. */
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

/* What the file recorder's table of every domain has for who listens: 1 while it records. */
extern PINSIGHT_API int pinsight_file_listened;

/* Whether the thread's clock is to be read before an event: one that comes `later` ticks after the
 * last one, at `now`; or one that comes before that. */
static inline bool pinsight_thread_clock_is_due(const struct pinsight_record_stream *stream,
                                                uint64_t later, uint64_t now) {
    return later > stream->gap || now >= stream->look_at;
}

/*
 * Begins an event that is frequent and has no more than PINSIGHT_STREAM_SPARE bytes with its head.
 * False where reserve() has to.
 *
 * `now`: its time by pinsight_stream_ticks(), or 0: it is read here. The processor reads the
 * counter only when all earlier instructions are done, so that whatever is looked up before takes
 * its whole time. Who reads it first has that done beside what comes after.
 */
static inline __attribute__((always_inline)) bool
pinsight_stream_take(uint32_t frequent, uint64_t now, struct pinsight_event_place *place) {
    struct pinsight_record_stream *stream = pinsight_record_stream;
    if (__builtin_expect(stream->busy || stream->at >= stream->end, 0))
        return false;
    stream->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!now)
        now = pinsight_stream_ticks();
    struct pinsight_buffer_head *head = PINSIGHT_READ_ONCE(stream->head);
    uint8_t *at = PINSIGHT_READ_ONCE(stream->at);
    /* A signal handler may have recorded, or forked, just before; what it recorded may be later. */
    if (__builtin_expect(at >= stream->end, 0) ||
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

/* Stores a number, and returns where the next field goes. */
#define PINSIGHT_STORE(at, value) ((uint8_t *)memcpy((at), &(value), sizeof(value)) + sizeof(value))

/* Stores a text of that many bytes, its end among them. */
static inline uint8_t *pinsight_store_text(uint8_t *at, const char *text, size_t bytes) {
    if (bytes > 1)
        memcpy(at, text, bytes - 1);
    at[bytes - 1] = '\0';
    return at + bytes;
}

#endif
