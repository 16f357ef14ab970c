/*
 * The streams of this process; see recording.h.
 *
 * All of it lies in pages that are zero in a forked child, so that the child begins with nothing,
 * however it was forked and whatever other threads held.
 */
#include "record/file/recording.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLAB_BYTES = 4096, LOCK_TRIES = 100000, LOOKS = 4 };

struct pool {
    int locked;
    uint32_t next_number;
    struct pinsight_record_stream *slab; /* those that were never used */
    uint32_t slab_left;
    struct pinsight_record_stream *all, *free;
    struct pinsight_record_stream *look; /* where to look next for a thread that is gone */
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
    struct pool *made = pinsight_pages_wiped(SLAB_BYTES), *none = NULL;
    if (!made)
        return false;
    if (!__atomic_compare_exchange_n(&pool, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        munmap(made, SLAB_BYTES);
    return true;
}

/* A signal handler may come while its own thread holds the lock: it does not wait for ever. */
static bool lock(void) {
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (!__atomic_exchange_n(&pool->locked, 1, __ATOMIC_ACQUIRE))
            return true;
        sched_yield();
    }
    errno = EBUSY;
    return false;
}

static void unlock(void) {
    __atomic_store_n(&pool->locked, 0, __ATOMIC_RELEASE);
}

static bool is_gone(const struct pinsight_record_stream *stream) {
    return stream->tid && syscall(SYS_tgkill, getpid(), (pid_t)stream->tid, 0) != 0 &&
           errno == ESRCH;
}

/* Threads may end without telling. Looks at some. */
static struct pinsight_record_stream *find_gone(void) {
    for (int i = 0; i < LOOKS && pool->all; i++) {
        struct pinsight_record_stream *at = pool->look ? pool->look : pool->all;
        pool->look = at->next;
        if (is_gone(at))
            return at;
    }
    return NULL;
}

static struct pinsight_record_stream *unused(void) {
    if (!pool->slab_left) {
        pool->slab = pinsight_pages_wiped(SLAB_BYTES);
        if (!pool->slab)
            return NULL;
        pool->slab_left = SLAB_BYTES / sizeof *pool->slab;
    }
    pool->slab_left--;
    return pool->slab++;
}

struct pinsight_record_stream *pinsight_pool_take(struct pinsight_record_stream *mine) {
    if (!ensure() || !lock())
        return NULL;
    struct pinsight_record_stream *stream = pool->free;
    if (stream)
        pool->free = stream->next_free;
    else
        stream = find_gone();
    bool is_new = !stream;
    if (is_new)
        stream = mine ? mine : unused();
    if (is_new && stream) {
        stream->number = pool->next_number++;
        int error = pinsight_buffer_make(stream);
        if (error) {
            if (!mine) {
                pool->slab--;
                pool->slab_left++;
            }
            unlock();
            errno = error;
            return NULL;
        }
        if (stream->number >= pool->next_number)
            pool->next_number = stream->number + 1;
        stream->next = pool->all;
        pool->all = stream;
    }
    if (stream) {
        stream->next_free = NULL;
        stream->tid = (uint32_t)syscall(SYS_gettid);
    }
    unlock();
    return stream;
}

void pinsight_pool_give(struct pinsight_record_stream *stream) {
    if (!pool || !lock())
        return;
    stream->tid = 0;
    stream->next_free = pool->free;
    pool->free = stream;
    unlock();
}

void pinsight_pool_each_free(void (*visit)(struct pinsight_record_stream *stream)) {
    if (!pool || !lock())
        return;
    for (struct pinsight_record_stream *at = pool->free; at; at = at->next_free)
        visit(at);
    unlock();
}
