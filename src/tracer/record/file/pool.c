/*
 * The streams of this process; see recording.h.
 *
 * All state lies in pages that are zero in a forked child. The child therefore begins with nothing,
 * however it was forked and whatever locks other threads held.
 */
#include "tracer/record/file/recording.h"

#include "base/forbidden.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SYNC_NS UINT64_C(10000000000)

enum { POOL_BYTES = 4096, IDLE_TRIES = 100000, LOOKS = 4 };
/* The lock is held while a buffer's file gets its space on the disk. All tries take ten seconds or
 * more. */
enum { LOCK_YIELDS = 1000, LOCK_TRIES = 100000, LOCK_SLEEP_NS = 100000 };

struct pool {
    int locked;       /* by the thread with this tid; 0: not locked */
    uint64_t written; /* bytes */
    uint64_t synced;  /* ns of CLOCK_MONOTONIC of the last clock event */
    uint32_t next_number;
    uint32_t count; /* streams that threads have or had */
    struct pinsight_record_stream *all, *free;
    struct pinsight_record_stream *look; /* where the next search for ended threads begins */
};

static struct pool *pool;

void *pinsight_pages_wiped(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    if (madvise(pages, bytes, MADV_WIPEONFORK) != 0) {
        int error = errno;
        munmap(pages, bytes);
        errno = error;
        return NULL;
    }
    return pages;
}

static bool ensure(void) {
    if (__atomic_load_n(&pool, __ATOMIC_ACQUIRE))
        return true;
    struct pool *made = pinsight_pages_wiped(POOL_BYTES), *none = NULL;
    if (!made)
        return false;
    if (!__atomic_compare_exchange_n(&pool, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        munmap(made, POOL_BYTES);
    return true;
}

/* Yields at first, then sleeps for a little. The calls are among those that a filter of system
 * calls has to admit (preload/libc/filters.c), and are no cancellation points. */
static void wait_for_lock(int holder, int tries) {
    const struct timespec little = {.tv_nsec = LOCK_SLEEP_NS};
    if (tries < LOCK_YIELDS)
        sched_yield();
    else
        syscall(SYS_futex, &pool->locked, FUTEX_WAIT_PRIVATE, holder, &little, NULL, 0);
}

/* Gives up after some tries; and at once if a signal handler has interrupted the holder. */
bool pinsight_pool_lock(void) {
    bool may_call = !pinsight_opens_are_forbidden; /* a filter may forbid other calls, too */
    int own = may_call ? (int)syscall(SYS_gettid) : -1, error = errno;
    for (int i = 0; i < LOCK_TRIES; i++) {
        int holder = 0;
        if (__atomic_compare_exchange_n(&pool->locked, &holder, own, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            errno = error;
            return true;
        }
        if (may_call && holder == own)
            break;
        if (may_call)
            wait_for_lock(holder, i);
    }
    errno = EBUSY;
    return false;
}

void pinsight_pool_unlock(void) {
    __atomic_store_n(&pool->locked, 0, __ATOMIC_RELEASE);
}

static bool is_gone(const struct pinsight_record_stream *stream) {
    return stream->tid && syscall(SYS_tgkill, getpid(), (pid_t)stream->tid, 0) != 0 &&
           errno == ESRCH;
}

/* Checks some streams for threads that ended without a notice. Returns one of their streams, or
 * NULL. */
static struct pinsight_record_stream *find_gone(void) {
    if (pinsight_opens_are_forbidden) /* the program may have forbidden itself signals, too */
        return NULL;
    for (int i = 0; i < LOOKS && pool->all; i++) {
        struct pinsight_record_stream *at = pool->look ? pool->look : pool->all;
        pool->look = at->next;
        if (is_gone(at))
            return at;
    }
    return NULL;
}

uint32_t pinsight_pool_number(void) {
    return pool->next_number++;
}

bool pinsight_pool_number_new(uint32_t *number) {
    if (!ensure() || !pinsight_pool_lock())
        return false;
    *number = pinsight_pool_number();
    pinsight_pool_unlock();
    return true;
}

/* Makes a stream with a buffer, in an unused struct or in `mine`. Returns NULL with errno on
 * failure. */
static struct pinsight_record_stream *make(struct pinsight_record_stream *mine) {
    struct pinsight_record_stream *stream = mine ? mine : pinsight_tls_take();
    if (!stream)
        return NULL;
    stream->number = pinsight_pool_number();
    int error = pinsight_buffer_make(stream);
    if (error) {
        if (!mine)
            pinsight_tls_give(stream);
        errno = error;
        return NULL;
    }
    if (stream->number >= pool->next_number)
        pool->next_number = stream->number + 1;
    return stream;
}

struct pinsight_record_stream *pinsight_pool_take(struct pinsight_record_stream *mine) {
    if (!ensure() || !pinsight_pool_lock())
        return NULL;
    struct pinsight_record_stream *stream = pool->free;
    if (stream)
        pool->free = stream->next_free;
    else
        stream = find_gone();
    if (!stream) {
        stream = make(mine);
        if (stream) {
            stream->next = pool->all;
            pool->all = stream;
            __atomic_store_n(&pool->count, pool->count + 1, __ATOMIC_RELAXED);
        }
    }
    if (stream) {
        stream->next_free = NULL;
        stream->is_taken = true;
        stream->end = NULL; /* so that its first event there is not stored inline */
        pinsight_thread_clock_begin(stream, true);
        pinsight_thread_definitions_begin(stream);
        stream->tid = (uint32_t)syscall(SYS_gettid);
    }
    int error = errno;
    pinsight_pool_unlock();
    errno = error;
    return stream;
}

struct pinsight_record_stream *pinsight_pool_kept(struct pinsight_record_stream *stream) {
    if (!stream->kept && pinsight_pool_lock()) {
        stream->kept = make(NULL);
        if (stream->kept) {
            stream->kept->is_kept = true;
            pinsight_thread_clock_begin(stream->kept, false);
        }
        int error = errno;
        pinsight_pool_unlock();
        errno = error;
    }
    if (stream->kept)
        stream->kept->tid = stream->tid;
    return stream->kept;
}

uint32_t pinsight_pool_count(void) {
    uint32_t count = __atomic_load_n(&pool->count, __ATOMIC_RELAXED);
    return count ? count : 1;
}

void pinsight_pool_give(struct pinsight_record_stream *stream) {
    if (!pool || !pinsight_pool_lock())
        return;
    stream->tid = 0;
    stream->next_free = pool->free;
    pool->free = stream;
    pinsight_pool_unlock();
}

void pinsight_pool_each_free(void (*visit)(struct pinsight_record_stream *stream)) {
    if (!pool || !pinsight_pool_lock())
        return;
    struct pinsight_record_stream *first = pool->free, *last = NULL;
    pool->free = NULL;
    pinsight_pool_unlock();
    for (struct pinsight_record_stream *at = first; at; last = at, at = at->next_free)
        visit(at);
    /* Without the lock, the streams are found later as those of ended threads. */
    if (!last || !pinsight_pool_lock())
        return;
    last->next_free = pool->free;
    pool->free = first;
    pinsight_pool_unlock();
}

/* A memory barrier on behalf of all threads (membarrier(2)), so that they need none themselves.
 * Afterwards this thread sees their earlier stores, and their later loads see this thread's
 * stores. */
static void order_all(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        static int any; /* a replacement for the fence that the thread sanitizer supports */
        __atomic_fetch_add(&any, 0, __ATOMIC_SEQ_CST);
    }
}

/* Waits until the thread is not within an event. Returns false if it stays there. */
static bool is_idle(const struct pinsight_record_stream *stream) {
    for (int i = 0; i < IDLE_TRIES; i++) {
        if (!__atomic_load_n(&stream->busy, __ATOMIC_ACQUIRE))
            return true;
        sched_yield();
    }
    return false;
}

bool pinsight_pool_empty(void (*complete)(struct pinsight_record_stream *stream)) {
    if (!pool)
        return true;
    if (!pinsight_pool_lock())
        return false;
    struct pinsight_record_stream *stuck = NULL;
    for (struct pinsight_record_stream *at = pool->all; at; at = at->next)
        __atomic_store_n(&at->end, NULL, __ATOMIC_RELEASE);
    order_all();
    for (struct pinsight_record_stream *at = pool->all, *next; at; at = next) {
        next = at->next;
        if (!is_idle(at) || (at->kept && !is_idle(at->kept))) {
            at->next = stuck;
            stuck = at;
            continue;
        }
        bool is_owned = at->tid && !is_gone(at);
        if (at->kept) {
            struct pinsight_record_stream *kept = at->kept;
            complete(kept);
            pinsight_tls_give(kept);
        }
        complete(at);
        at->tid = 0;
        if (!is_owned)
            pinsight_tls_give(at);
    }
    pool->all = stuck;
    pool->free = pool->look = NULL;
    pool->count = 0;
    pool->synced = 0;
    pinsight_pool_unlock();
    return !stuck;
}

bool pinsight_pool_sync_is_due(uint64_t monotonic) {
    uint64_t last = __atomic_load_n(&pool->synced, __ATOMIC_RELAXED);
    return (!last || monotonic - last >= SYNC_NS) &&
           __atomic_compare_exchange_n(&pool->synced, &last, monotonic, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

void pinsight_pool_wrote(uint64_t bytes) {
    __atomic_fetch_add(&pool->written, bytes, __ATOMIC_RELAXED);
}

uint64_t pinsight_pool_written(void) {
    return pool ? __atomic_load_n(&pool->written, __ATOMIC_RELAXED) : 0;
}
