/*
 * What a thread has of PInsight, behind one thread-local pointer. The C library has little memory
 * for the thread-local variables of libraries that it opens late with the initial-exec model, some
 * 1,600 bytes (glibc.rtld.optional_static_tls), and all libraries of a process share it. A pointer
 * takes 8 of them.
 *
 * It leads to two parts, a fixed distance apart, so that one load leads to both: the thread's
 * stream (record/stream.h), in memory that the kernel wipes in a forked child, and the rest, which
 * the child keeps.
 */
#ifndef PINSIGHT_RECORD_TLS_H
#define PINSIGHT_RECORD_TLS_H

#include "pinsight/pinsight.h"

#include <stdbool.h>
#include <stdint.h>

struct pinsight_core_thread;
struct pinsight_record_stream;
struct pinsight_recorded;

/* The distance: a page, of any size that the machine's kernels may have. */
#if defined(__x86_64__) || defined(__i386__)
enum { PINSIGHT_TLS_AT = 4096 };
#else
enum { PINSIGHT_TLS_AT = 65536 };
#endif

/* When the thread's clock is read, where its recorder looks here (record/processor_time.h). */
struct pinsight_look {
    uint64_t last, at; /* ticks: of the last event; the next reading, however short the gap */
    uint64_t read_ns;  /* CLOCK_MONOTONIC; 0: not yet */
    uint64_t processor_ns, run_delay_ns;
};

/* Domains that a thread has a state of. */
enum { PINSIGHT_TLS_DOMAINS = 8 };

struct pinsight_tls {
    struct pinsight_core_thread *thread; /* NULL: none, or put aside; core/thread.h */
    /* What each domain keeps, by its slot: as in `thread`, one load nearer. */
    void *domains[PINSIGHT_TLS_DOMAINS];
    struct pinsight_core_thread *aside;
    struct pinsight_recorded *recorded; /* where it counts; never NULL; record/counts.h */
    struct pinsight_look look;
    bool ended;                               /* its state was taken down, and is not made again */
    struct pinsight_record_stream *next_free; /* tls.c's */
};

/* The calling thread's stream; never NULL. One that all threads share, and nobody writes, where the
 * thread has none of its own. Initial-exec: one load, no call. */
extern PINSIGHT_API __thread struct pinsight_record_stream *pinsight_record_stream
    __attribute__((tls_model("initial-exec")));

/* What the thread has beside its stream. */
static inline struct pinsight_tls *pinsight_tls_beside(struct pinsight_record_stream *stream) {
    return (struct pinsight_tls *)((uintptr_t)stream + PINSIGHT_TLS_AT);
}

/* The same of the calling thread; never NULL. To be written only where pinsight_tls_own() gave it.
 */
static inline struct pinsight_tls *pinsight_tls(void) {
    return pinsight_tls_beside(pinsight_record_stream);
}

/* The calling thread's own, made where it has none. NULL where memory is short, with errno set.
 * Holds until the thread's first event, which may move it, and its end. Also in a signal handler.
 */
struct pinsight_tls *pinsight_tls_own(void);

/* The calling thread ends: it has none of its own any more. */
void pinsight_tls_end(void);

/* ---- for the file recorder ---- */

/* Has the thread whose stream it is one of its own? */
bool pinsight_tls_is_own(const struct pinsight_record_stream *stream);

/* A stream without a buffer, and what is beside it. NULL where memory is short, with errno set. */
struct pinsight_record_stream *pinsight_tls_take(void);

/* No thread has it any more, and it has no buffer. */
void pinsight_tls_give(struct pinsight_record_stream *stream);

/* The calling thread goes on with this stream, and keeps what was beside the one that it had. The
 * caller gives that away. */
void pinsight_tls_move(struct pinsight_record_stream *stream);

/* A copy of the stream, in what a forked child keeps. */
struct pinsight_record_stream *pinsight_tls_copy(const struct pinsight_record_stream *stream);

#endif
