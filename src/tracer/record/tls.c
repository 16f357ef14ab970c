/*
 * PInsight's data of threads; see tls.h.
 *
 * There are no locks, because a signal handler may interrupt at any place, and a process may be
 * forked without a hook.
 */
#include "tracer/record/tls.h"

#include "tracer/record/counted.h"
#include "tracer/record/file/recording.h"
#include "tracer/record/stream.h"

#include <errno.h>
#include <sys/mman.h>

/* The part of a thread's data in the second page. The stream is at the same offset in the first
 * page. */
struct kept_place {
    _Alignas(64) struct pinsight_tls tls;
    struct pinsight_record_stream copy;
};

enum { ITEMS = PINSIGHT_TLS_AT / sizeof(struct kept_place) };

/* Two pages. This struct's own members use the space of the last items. */
struct pages {
    union {
        struct pinsight_record_stream stream;
        char page[PINSIGHT_TLS_AT];
    };
    struct kept_place kept[ITEMS - 1];
    uint32_t used; /* may exceed the number of items */
};

_Static_assert(sizeof(struct pinsight_record_stream) <= sizeof(struct kept_place),
               "a stream has room");
_Static_assert(sizeof(struct pages) <= 2 * PINSIGHT_TLS_AT, "pages are two");

static struct pages *pages; /* pages with unused items */
static struct pinsight_record_stream *free_list;

static struct pages none = {.kept[0].tls.recorded = PINSIGHT_RECORDED_STATELESS};
static struct pages ended = {
    .kept[0].tls = {.recorded = PINSIGHT_RECORDED_STATELESS, .ended = true}};

__thread struct pinsight_record_stream *pinsight_record_stream = &none.stream;

bool pinsight_tls_is_own(const struct pinsight_record_stream *stream) {
    return stream != &none.stream && stream != &ended.stream;
}

struct pinsight_record_stream *pinsight_tls_copy(const struct pinsight_record_stream *stream) {
    struct kept_place *kept = (struct kept_place *)((uintptr_t)stream + PINSIGHT_TLS_AT);
    return &kept->copy;
}

/* ---- memory ---- */

static void put(struct pinsight_record_stream *first, struct pinsight_record_stream *last) {
    struct pinsight_record_stream **next = &pinsight_tls_of(last)->next_free;
    *next = __atomic_load_n(&free_list, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&free_list, next, first, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

/* Takes the whole list and puts back the rest, so that no other thread changes the first item's
 * successor meanwhile. */
static struct pinsight_record_stream *take_free(void) {
    struct pinsight_record_stream *first = __atomic_exchange_n(&free_list, NULL, __ATOMIC_ACQUIRE);
    struct pinsight_record_stream *rest = first ? pinsight_tls_of(first)->next_free : NULL;
    if (!rest)
        return first;
    struct pinsight_record_stream *last = rest;
    for (struct pinsight_record_stream *next; (next = pinsight_tls_of(last)->next_free);)
        last = next;
    put(rest, last);
    return first;
}

static struct pinsight_record_stream *item(struct pages *of, uint32_t at) {
    return (struct pinsight_record_stream *)((uintptr_t)of + at * sizeof(struct kept_place));
}

static struct pinsight_record_stream *take_new(void) {
    for (;;) {
        struct pages *from = __atomic_load_n(&pages, __ATOMIC_ACQUIRE);
        uint32_t at = from ? __atomic_fetch_add(&from->used, 1, __ATOMIC_RELAXED) : ITEMS;
        if (at < ITEMS - 1)
            return item(from, at);
        struct pages *made = mmap(NULL, 2 * PINSIGHT_TLS_AT, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED)
            return NULL;
        /* A kernel without MADV_WIPEONFORK has no buffers either (pool.c). */
        if (madvise(made, PINSIGHT_TLS_AT, MADV_WIPEONFORK) != 0 && errno != EINVAL) {
            munmap(made, 2 * PINSIGHT_TLS_AT);
            return NULL;
        }
        made->used = 1;
        if (__atomic_compare_exchange_n(&pages, &from, made, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return item(made, 0);
        munmap(made, 2 * PINSIGHT_TLS_AT);
    }
}

struct pinsight_record_stream *pinsight_tls_take(void) {
    struct pinsight_record_stream *stream = take_free();
    return stream ? stream : take_new();
}

void pinsight_tls_give(struct pinsight_record_stream *stream) {
    put(stream, stream);
}

/* ---- a thread's own ---- */

void pinsight_tls_move(struct pinsight_record_stream *stream) {
    *pinsight_tls_of(stream) = *pinsight_tls();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pinsight_record_stream = stream;
}

struct pinsight_tls *pinsight_tls_own(void) {
    sigset_t old;
    if (pinsight_tls_is_own(pinsight_record_stream))
        return pinsight_tls();
    pinsight_signals_block(&old);
    struct pinsight_record_stream *own = pinsight_tls_take();
    if (own)
        pinsight_tls_move(own);
    int error = errno;
    pinsight_signals_unblock(&old);
    errno = error;
    return own ? pinsight_tls() : NULL;
}

/* The pool passes on a stream that is in the middle of an event when the thread is gone
 * (pool.c). */
void pinsight_tls_end(void) {
    struct pinsight_record_stream *own = pinsight_record_stream;
    pinsight_record_stream = &ended.stream;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (pinsight_tls_is_own(own) && !own->head)
        pinsight_tls_give(own);
}
