/* Counting for MONITORING; see count.h. */
#include "domains/mpi/count.h"

#include "core/info.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Held by who writes counts, and by a thread that moves its own. Recursive: what writes may end a
 * thread's tracing. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static struct pinsight_mpi_count *count_of(struct pinsight_mpi_thread *thread, uint32_t id) {
    if (__builtin_expect(id < thread->count_room, 1))
        return &thread->counts[id];
    uint32_t room = thread->count_room ? thread->count_room : 64;
    while (room <= id)
        room *= 2;
    struct pinsight_mpi_count *grown = calloc(room, sizeof *grown);
    if (!grown)
        return NULL;
    pthread_mutex_lock(&lock);
    if (thread->counts)
        memcpy(grown, thread->counts, thread->count_room * sizeof *grown);
    free(thread->counts);
    thread->counts = grown;
    thread->count_room = room;
    pthread_mutex_unlock(&lock);
    return &thread->counts[id];
}

void pinsight_mpi_count_begin(struct pinsight_mpi_thread *thread,
                              struct pinsight_mpi_counted *counted,
                              struct pinsight_mpi_lexgion *lexgion) {
    struct pinsight_mpi_count *count = lexgion ? count_of(thread, lexgion->id) : NULL;
    counted->lexgion = NULL;
    if (!count)
        return;
    count->depth++;
    counted->lexgion = lexgion;
    counted->outer = thread->counting;
    counted->children = 0;
    counted->start = pinsight_clock_ticks();
    thread->counting = counted;
}

static void add(_Atomic uint64_t *to, uint64_t ticks) {
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + ticks,
                          memory_order_relaxed);
}

void pinsight_mpi_count_end(struct pinsight_mpi_thread *thread,
                            struct pinsight_mpi_counted *counted, uint64_t end) {
    if (!counted->lexgion)
        return;
    struct pinsight_mpi_count *count = &thread->counts[counted->lexgion->id];
    uint64_t ticks = end > counted->start ? end - counted->start : 0;
    add(&count->calls, 1);
    if (--count->depth == 0)
        add(&count->inclusive, ticks);
    add(&count->exclusive, ticks > counted->children ? ticks - counted->children : 0);
    thread->counting = counted->outer;
    if (counted->outer)
        counted->outer->children += ticks;
    counted->lexgion = NULL;
}

/* The lock is held. */
static void write_thread(struct pinsight_mpi_thread *thread) {
    double rate = pinsight_clock_rate();
    for (uint32_t id = 1; id < thread->count_room; id++) {
        struct pinsight_mpi_count *count = &thread->counts[id];
        uint64_t calls = atomic_load_explicit(&count->calls, memory_order_relaxed);
        uint64_t inclusive = atomic_load_explicit(&count->inclusive, memory_order_relaxed);
        uint64_t exclusive = atomic_load_explicit(&count->exclusive, memory_order_relaxed);
        const struct pinsight_mpi_lexgion *lexgion =
            calls == count->calls_written ? NULL : pinsight_mpi_lexgion_by_id(id);
        if (!lexgion)
            continue;
        struct pinsight_profile profile = {
            .tid = thread->core->tid,
            .python_thread_id = thread->core->python_thread_id,
            .is_region = true,
            .lexgion = id,
            .name = lexgion->function,
            .filename = lexgion->object,
            .calls = calls - count->calls_written,
            .inclusive_ns = (uint64_t)((double)(inclusive - count->inclusive_written) * rate),
            .exclusive_ns = (uint64_t)((double)(exclusive - count->exclusive_written) * rate),
        };
        pinsight_info_profile(&pinsight_mpi_domain, &profile);
        count->calls_written = calls;
        count->inclusive_written = inclusive;
        count->exclusive_written = exclusive;
    }
}

void pinsight_mpi_count_flush_thread(struct pinsight_mpi_thread *thread) {
    pthread_mutex_lock(&lock);
    write_thread(thread);
    pthread_mutex_unlock(&lock);
}

static void visit(struct pinsight_thread *core, void *unused) {
    (void)unused;
    struct pinsight_mpi_thread *thread = core->state[pinsight_mpi_domain.slot];
    if (thread)
        write_thread(thread);
}

void pinsight_mpi_count_flush(void) {
    pthread_mutex_lock(&lock);
    pinsight_thread_each(visit, NULL);
    pthread_mutex_unlock(&lock);
}

void pinsight_mpi_count_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}
