/*
 * PInsight's data of a thread, behind one thread-local pointer. Libraries that are opened at run
 * time share some 1,600 bytes for thread-local variables of the initial-exec model
 * (glibc.rtld.optional_static_tls). A pointer takes 8 of them.
 *
 * The data has two parts at a fixed distance, so that one load leads to both. The first part is the
 * thread's stream (tracer/record/stream.h), in memory that the kernel wipes in a forked child. The
 * second part stays in the child.
 */
#ifndef PINSIGHT_RECORD_TLS_H
#define PINSIGHT_RECORD_TLS_H

#include "pinsight/pinsight.h"

#include <stdbool.h>
#include <stdint.h>

struct pinsight_core_thread;
struct pinsight_record_stream;
struct pinsight_recorded;

/* The distance: a page of any size that kernels for the machine use. */
#if defined(__x86_64__) || defined(__i386__)
enum { PINSIGHT_TLS_AT = 4096 };
#else
enum { PINSIGHT_TLS_AT = 65536 };
#endif

/* State for reading the thread's clock, if the recorder keeps it here
 * (tracer/record/processor_time.h). */
struct pinsight_look {
    uint64_t last, at; /* ticks: the last event; the latest time of the next reading */
    uint64_t read_ns;  /* CLOCK_MONOTONIC of the last reading; 0: none */
    uint64_t processor_ns, run_delay_ns;
};

/* The most domains that a thread has a state of. */
enum { PINSIGHT_TLS_DOMAINS = 8 };

struct pinsight_tls {
    struct pinsight_core_thread *thread; /* NULL: none, or hidden; tracer/core/thread.h */
    /* The state of each domain, by slot: copies of those in `thread`, one load nearer. */
    void *domains[PINSIGHT_TLS_DOMAINS];
    struct pinsight_core_thread *hidden;
    struct pinsight_recorded *recorded; /* the thread's count; never NULL; format/counts.h */
    struct pinsight_look look;
    bool ended;                               /* its state was freed, and is not made again */
    struct pinsight_record_stream *next_free; /* for tls.c */
};

/* The calling thread's stream; never NULL. A thread without one has a stream that all such threads
 * share and no thread writes. Initial-exec: one load, no call. */
extern PINSIGHT_API __thread struct pinsight_record_stream *pinsight_record_stream
    __attribute__((tls_model("initial-exec")));

/* Returns the data beside a stream. */
static inline struct pinsight_tls *pinsight_tls_of(struct pinsight_record_stream *stream) {
    return (struct pinsight_tls *)((uintptr_t)stream + PINSIGHT_TLS_AT);
}

/* Returns the calling thread's data; never NULL. It may be written only if pinsight_tls_own()
 * returned it. */
static inline struct pinsight_tls *pinsight_tls(void) {
    return pinsight_tls_of(pinsight_record_stream);
}

/* Returns the calling thread's own data, and makes it if there is none. Returns NULL with errno if
 * memory is short. Valid until the thread's first event, which may move it, or its end.
 * Async-signal-safe. */
struct pinsight_tls *pinsight_tls_own(void);

/* Ends the calling thread's use of its data. */
void pinsight_tls_end(void);

/* ---- for the file recorder ---- */

/* Returns whether the stream is a thread's own. */
bool pinsight_tls_is_own(const struct pinsight_record_stream *stream);

/* Returns a stream without a buffer, and the data beside it. Returns NULL with errno if memory is
 * short. */
struct pinsight_record_stream *pinsight_tls_take(void);

/* Frees a stream without a thread and without a buffer. */
void pinsight_tls_give(struct pinsight_record_stream *stream);

/* Gives the calling thread another stream, and moves the data beside the old one. The caller frees
 * the old stream. */
void pinsight_tls_move(struct pinsight_record_stream *stream);

/* Returns a copy of the stream, in memory that a forked child keeps. */
struct pinsight_record_stream *pinsight_tls_copy(const struct pinsight_record_stream *stream);

#endif
