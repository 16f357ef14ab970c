/* Allocations; see allocations.h. */
#include "domains/python/allocations.h"

#include "core/log.h"
#include "core/plain.h"
#include "core/process.h"
#include "domains/python/cpython/frame.h"
#include "domains/python/cpython/holds_gil.h"
#include "domains/python/place_counts.h"

#include <pthread.h>

/* Who holds the GIL of the main interpreter counts without a lock. */
static struct pinsight_place_counts with_gil, without_gil;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the second */
static const PyInterpreterState *main_interpreter;
static _Atomic bool counting;

/* The interpreter's own; never changed while ours may be called. */
static PyMemAllocatorEx own[3];
/* An allocator calls another for what is too large for it. */
static __thread bool inside;
static __thread bool probed; /* an allocation came to us */

static inline void add(struct pinsight_place_count *place, size_t bytes) {
    place->count++;
    place->bytes += bytes;
}

static inline void note_in(struct pinsight_place_counts *counts, const PyThreadState *state,
                           size_t bytes) {
    const pinsight_frame *frame = state ? pinsight_frame_top(state) : NULL;
    while (frame && pinsight_frame_is_internal(frame))
        frame = pinsight_frame_caller(frame);
    if (PINSIGHT_LIKELY(frame != NULL))
        add(pinsight_place_of(counts, state, pinsight_frame_code(frame), pinsight_frame_at(frame)),
            bytes);
    else
        add(&counts->other, bytes);
}

/* The end of the interpreter waits for a thread that reads its frames. */
static __attribute__((noinline)) void note_without_gil(const PyThreadState *state, size_t bytes) {
    struct pinsight_path_thread *thread = state ? pinsight_path_thread() : NULL;
    if (thread)
        atomic_store(&thread->inside, true);
    pthread_mutex_lock(&lock);
    note_in(&without_gil, thread && pinsight_path_is_open() ? state : NULL, bytes);
    pthread_mutex_unlock(&lock);
    if (thread)
        atomic_store_explicit(&thread->inside, false, memory_order_release);
}

static inline PyThreadState *running(void) {
#if PY_VERSION_HEX >= 0x030d0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

static inline void note_held(const PyThreadState *state, size_t bytes) {
#ifndef Py_GIL_DISABLED
    if (PINSIGHT_LIKELY(state && pinsight_state_is_of(state, main_interpreter))) {
        note_in(&with_gil, state, bytes);
        return;
    }
#endif
    note_without_gil(state, bytes);
}

/* Of a domain that is used with the GIL alone; and of the one that is not. */
static inline void note(PyMemAllocatorDomain domain, size_t bytes) {
    probed = true;
    if (PINSIGHT_UNLIKELY(!atomic_load_explicit(&counting, memory_order_relaxed)))
        return;
    if (domain != PYMEM_DOMAIN_RAW || pinsight_holds_gil())
        note_held(running(), bytes);
    else
        note_without_gil(PyGILState_GetThisThreadState(), bytes);
}

/* `ctx` is the own allocator's, which stays what it was. */
#define ALLOCATOR(name, domain)                                                                    \
    static void *name##_malloc(void *ctx, size_t size) {                                           \
        bool outer = inside;                                                                       \
        if (!outer)                                                                                \
            note(domain, size);                                                                    \
        inside = true;                                                                             \
        void *block = own[domain].malloc(ctx, size);                                               \
        inside = outer;                                                                            \
        return block;                                                                              \
    }                                                                                              \
    static void *name##_calloc(void *ctx, size_t count, size_t size) {                             \
        bool outer = inside;                                                                       \
        if (!outer)                                                                                \
            note(domain, count *size);                                                             \
        inside = true;                                                                             \
        void *block = own[domain].calloc(ctx, count, size);                                        \
        inside = outer;                                                                            \
        return block;                                                                              \
    }                                                                                              \
    static void *name##_realloc(void *ctx, void *old, size_t size) {                               \
        bool outer = inside;                                                                       \
        if (!outer)                                                                                \
            note(domain, size);                                                                    \
        inside = true;                                                                             \
        void *block = own[domain].realloc(ctx, old, size);                                         \
        inside = outer;                                                                            \
        return block;                                                                              \
    }

ALLOCATOR(raw, PYMEM_DOMAIN_RAW)
ALLOCATOR(memory, PYMEM_DOMAIN_MEM)
ALLOCATOR(object, PYMEM_DOMAIN_OBJ)

static const PyMemAllocatorEx ours[3] = {
    [PYMEM_DOMAIN_RAW] = {NULL, raw_malloc, raw_calloc, raw_realloc, NULL},
    [PYMEM_DOMAIN_MEM] = {NULL, memory_malloc, memory_calloc, memory_realloc, NULL},
    [PYMEM_DOMAIN_OBJ] = {NULL, object_malloc, object_calloc, object_realloc, NULL},
};

/* Does an allocation of a domain come to us, whatever stands in front? */
static bool is_reached(unsigned domain) {
    static void *(*const allocate[])(size_t) = {PyMem_RawMalloc, PyMem_Malloc, PyObject_Malloc};
    static void (*const release[])(void *) = {PyMem_RawFree, PyMem_Free, PyObject_Free};
    probed = false;
    release[domain](allocate[domain](1));
    return probed;
}

/* How many domains lacked ours. */
static unsigned put_in(void) {
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
        PyMem_SetAllocator((PyMemAllocatorDomain)domain, &now);
        count++;
    }
    return count;
}

/* Where something stands in front of ours, ours stay. */
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
    static struct pinsight_log_once said = PINSIGHT_LOG_ONCE_INIT;
    static bool handles_forks;
    if (pinsight_plain()) {
        pinsight_log_once(&said, "allocations are not counted with PINSIGHT_PLAIN=1: which line "
                                 "asks for memory is not to be seen by public interfaces");
        return false;
    }
    if (!handles_forks)
        handles_forks = pthread_atfork(before_fork, after_fork, after_fork) == 0;
    return handles_forks;
}

void pinsight_allocations_count(bool count) {
    if (count && !can_count())
        count = false;
    bool was = atomic_load(&counting);
    if (count && !was) {
        main_interpreter = PyInterpreterState_Main();
        put_in();
    }
    atomic_store(&counting, count);
    if (!count && was)
        take_out();
}

void pinsight_allocations_write(void) {
    static struct pinsight_log_once said = PINSIGHT_LOG_ONCE_INIT;
    if (atomic_load(&counting) && put_in() > 0)
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
