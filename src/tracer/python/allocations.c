/* Allocations; see allocations.h. */
#include "tracer/python/allocations.h"

#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/python/cpython/frame.h"
#include "tracer/python/cpython/holds_gil.h"
#include "tracer/python/live_blocks.h"
#include "tracer/python/place_counts.h"

#include <pthread.h>

#define OTHER UINT32_MAX /* owner of a block without a place */

/* Holders of the main interpreter's GIL use the first without a lock, except for memory in use. */
static struct pinsight_place_counts with_gil, without_gil;
static struct pinsight_live_blocks blocks;               /* their owners are places of the second */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the second, and `blocks` */
static const PyInterpreterState *main_interpreter;
static _Atomic int counting; /* enum pinsight_allocations */

/* The interpreter's own allocators. They do not change while ours may be called. */
static PyMemAllocatorEx own[3];
/* true in an allocator, because one may call another for a large block */
static __thread bool inside;
static __thread bool probed; /* an allocation has reached our allocator */

static inline void add(struct pinsight_place_count *place, size_t bytes) {
    place->count++;
    place->bytes += bytes;
}

static inline struct pinsight_place_count *place_in(struct pinsight_place_counts *counts,
                                                    const PyThreadState *state) {
    const pinsight_frame *frame = state ? pinsight_frame_top(state) : NULL;
    while (frame && pinsight_frame_is_internal(frame))
        frame = pinsight_frame_caller(frame);
    return PINSIGHT_LIKELY(frame != NULL)
               ? pinsight_place_of(counts, state, pinsight_frame_code(frame),
                                   pinsight_frame_at(frame))
               : &counts->other;
}

static struct pinsight_place_count *owner_of(const struct pinsight_live_block *block) {
    return block->owner == OTHER ? &without_gil.other : &without_gil.places[block->owner];
}

/* The following functions run under the lock. */

static void count_out(const struct pinsight_live_block *block) {
    struct pinsight_place_count *place = owner_of(block);
    place->blocks--;
    place->live_bytes -= pinsight_live_size(block);
}

static void put_block(struct pinsight_live_block block) {
    struct pinsight_place_count *place = owner_of(&block);
    struct pinsight_live_block old;
    if (!pinsight_live_put(&blocks, block, &old))
        return;
    if (PINSIGHT_UNLIKELY(old.address != 0)) /* its release did not reach our allocator */
        count_out(&old);
    place->blocks++;
    place->live_bytes += pinsight_live_size(&block);
    if (place->live_bytes > place->peak_bytes)
        place->peak_bytes = place->live_bytes;
}

static struct pinsight_live_block take_block(const void *address) {
    struct pinsight_live_block block = pinsight_live_take(&blocks, address);
    if (block.address)
        count_out(&block);
    return block;
}

/* The end of the interpreter waits for a thread that reads its frames. */
static __attribute__((noinline)) void note_locked(const PyThreadState *state, size_t bytes,
                                                  const void *address) {
    struct pinsight_path_thread *thread = state ? pinsight_path_thread() : NULL;
    if (thread)
        atomic_store(&thread->inside, true);
    pthread_mutex_lock(&lock);
    struct pinsight_place_count *place =
        place_in(&without_gil, thread && pinsight_path_is_open() ? state : NULL);
    add(place, bytes);
    if (address)
        put_block((struct pinsight_live_block){
            .address = (uintptr_t)address,
            .owner = place == &without_gil.other ? OTHER : (uint32_t)(place - without_gil.places),
            .coded_size = pinsight_live_code(bytes)});
    pthread_mutex_unlock(&lock);
    if (thread)
        atomic_store_explicit(&thread->inside, false, memory_order_release);
}

/* Returns the state of the calling thread, and whether it holds the GIL. */
static inline PyThreadState *state_in(PyMemAllocatorDomain domain, bool *holds) {
    *holds = domain != PYMEM_DOMAIN_RAW || pinsight_holds_gil();
    return *holds ? pinsight_running_state() : PyGILState_GetThisThreadState();
}

static inline void note(PyMemAllocatorDomain domain, size_t bytes) {
    bool holds;
    probed = true;
    if (PINSIGHT_UNLIKELY(atomic_load_explicit(&counting, memory_order_relaxed) !=
                          PINSIGHT_ALLOCATIONS_ON))
        return;
    const PyThreadState *state = state_in(domain, &holds);
#ifndef Py_GIL_DISABLED
    if (PINSIGHT_LIKELY(holds && state && pinsight_state_is_of(state, main_interpreter))) {
        add(place_in(&with_gil, state), bytes);
        return;
    }
#endif
    note_locked(state, bytes, NULL);
}

/* ---- memory in use ---- */

static inline bool lives(void) {
    return atomic_load_explicit(&counting, memory_order_relaxed) == PINSIGHT_ALLOCATIONS_LIVE;
}

/* Counts a new block. */
static void made(PyMemAllocatorDomain domain, const void *address, size_t bytes) {
    bool holds;
    const PyThreadState *state = state_in(domain, &holds);
    note_locked(state, bytes, address);
}

/* Removes a block before it is freed, because another thread may get its address afterwards. */
static struct pinsight_live_block going(const void *address) {
    pthread_mutex_lock(&lock);
    struct pinsight_live_block block = take_block(address);
    pthread_mutex_unlock(&lock);
    return block;
}

/* Puts a block back that was not freed. */
static void stays(struct pinsight_live_block block) {
    pthread_mutex_lock(&lock);
    if (block.address)
        put_block(block);
    pthread_mutex_unlock(&lock);
}

/* Defines an allocator. `ctx` is the original allocator's, which stays unchanged. An allocator that
 * is called by another one only forwards the call. */
#define ALLOCATOR(name, domain)                                                                    \
    static void *name##_malloc(void *ctx, size_t size) {                                           \
        if (inside)                                                                                \
            return own[domain].malloc(ctx, size);                                                  \
        note(domain, size);                                                                        \
        inside = true;                                                                             \
        void *block = own[domain].malloc(ctx, size);                                               \
        inside = false;                                                                            \
        if (PINSIGHT_UNLIKELY(lives()) && block)                                                   \
            made(domain, block, size);                                                             \
        return block;                                                                              \
    }                                                                                              \
    static void *name##_calloc(void *ctx, size_t count, size_t size) {                             \
        if (inside)                                                                                \
            return own[domain].calloc(ctx, count, size);                                           \
        note(domain, count *size);                                                                 \
        inside = true;                                                                             \
        void *block = own[domain].calloc(ctx, count, size);                                        \
        inside = false;                                                                            \
        if (PINSIGHT_UNLIKELY(lives()) && block)                                                   \
            made(domain, block, count *size);                                                      \
        return block;                                                                              \
    }                                                                                              \
    static void *name##_realloc(void *ctx, void *old, size_t size) {                               \
        struct pinsight_live_block was = {0};                                                      \
        if (inside)                                                                                \
            return own[domain].realloc(ctx, old, size);                                            \
        note(domain, size);                                                                        \
        if (PINSIGHT_UNLIKELY(lives()) && old)                                                     \
            was = going(old);                                                                      \
        inside = true;                                                                             \
        void *block = own[domain].realloc(ctx, old, size);                                         \
        inside = false;                                                                            \
        if (PINSIGHT_UNLIKELY(lives()) && block)                                                   \
            made(domain, block, size);                                                             \
        else if (PINSIGHT_UNLIKELY(was.address != 0))                                              \
            stays(was);                                                                            \
        return block;                                                                              \
    }                                                                                              \
    static void name##_free(void *ctx, void *block) {                                              \
        if (inside) {                                                                              \
            own[domain].free(ctx, block);                                                          \
            return;                                                                                \
        }                                                                                          \
        if (lives() && block)                                                                      \
            going(block);                                                                          \
        inside = true;                                                                             \
        own[domain].free(ctx, block);                                                              \
        inside = false;                                                                            \
    }

ALLOCATOR(raw, PYMEM_DOMAIN_RAW)
ALLOCATOR(memory, PYMEM_DOMAIN_MEM)
ALLOCATOR(object, PYMEM_DOMAIN_OBJ)

static const PyMemAllocatorEx ours[3] = {
    [PYMEM_DOMAIN_RAW] = {NULL, raw_malloc, raw_calloc, raw_realloc, raw_free},
    [PYMEM_DOMAIN_MEM] = {NULL, memory_malloc, memory_calloc, memory_realloc, memory_free},
    [PYMEM_DOMAIN_OBJ] = {NULL, object_malloc, object_calloc, object_realloc, object_free},
};

/* Returns whether allocations of a domain reach our allocator, whatever is in front of it. */
static bool is_reached(unsigned domain) {
    static void *(*const allocate[])(size_t) = {PyMem_RawMalloc, PyMem_Malloc, PyObject_Malloc};
    static void (*const release[])(void *) = {PyMem_RawFree, PyMem_Free, PyObject_Free};
    probed = false;
    release[domain](allocate[domain](1));
    return probed;
}

/* Returns the number of domains that lacked our allocator. Releases matter if the memory in use is
 * counted. */
static unsigned put_in(bool free_too) {
    unsigned count = 0;
    for (unsigned domain = 0; domain < 3; domain++) {
        PyMemAllocatorEx now;
        if (is_reached(domain))
            continue;
        PyMem_GetAllocator((PyMemAllocatorDomain)domain, &now);
        own[domain] = now;
        now.malloc = ours[domain].malloc;
        now.calloc = ours[domain].calloc;
        now.realloc = ours[domain].realloc;
        now.free = free_too ? ours[domain].free : now.free;
        PyMem_SetAllocator((PyMemAllocatorDomain)domain, &now);
        count++;
    }
    return count;
}

/* If another allocator is in front of ours, ours stays. */
static void take_out(void) {
    for (unsigned domain = 0; domain < 3; domain++) {
        PyMemAllocatorEx now;
        PyMem_GetAllocator((PyMemAllocatorDomain)domain, &now);
        if (now.malloc == ours[domain].malloc)
            PyMem_SetAllocator((PyMemAllocatorDomain)domain, &own[domain]);
    }
}

static void before_fork(void) {
    pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&lock);
}

static bool can_count(void) {
    static bool handles_forks;
    if (!handles_forks)
        handles_forks = pthread_atfork(before_fork, after_fork, after_fork) == 0;
    return handles_forks;
}

/* Resets the memory in use to unknown. */
static void forget_live(void) {
    pthread_mutex_lock(&lock);
    pinsight_live_clear(&blocks);
    pinsight_place_forget_live(&without_gil);
    pthread_mutex_unlock(&lock);
}

void pinsight_allocations_count(enum pinsight_allocations what) {
    if (what && !can_count())
        what = PINSIGHT_ALLOCATIONS_OFF;
    int was = atomic_load(&counting);
    if ((int)what == was)
        return;
    if (was) {
        atomic_store(&counting, PINSIGHT_ALLOCATIONS_OFF);
        take_out();
        if (was == PINSIGHT_ALLOCATIONS_LIVE)
            forget_live();
    }
    if (what) {
        main_interpreter = PyInterpreterState_Main();
        put_in(what == PINSIGHT_ALLOCATIONS_LIVE);
        atomic_store(&counting, what);
    }
}

void pinsight_allocations_write(void) {
    static struct pinsight_log_once said = PINSIGHT_LOG_ONCE_INIT;
    if (atomic_load(&counting) && put_in(lives()) > 0)
        pinsight_log_once(&said,
                          "another tool in process %d took out what counts allocations: some are "
                          "not in the sums; leave that tool out, or stop it later",
                          (int)pinsight_process.pid);
    pinsight_place_write(&with_gil);
    pthread_mutex_lock(&lock);
    pinsight_place_write(&without_gil);
    pthread_mutex_unlock(&lock);
}

void pinsight_allocations_fork_child(void) {
    pinsight_place_forget(&with_gil);
    pinsight_place_forget(&without_gil);
}
