/* Counting for MONITORING; see native_count.h. */
#include "core/native_count.h"

#include "core/info.h"
#include "core/native.h"

#include <stdlib.h>
#include <string.h>

bool pinsight_native_count_grow(struct pinsight_native *native,
                                struct pinsight_native_counts *counts, uint32_t id) {
    uint32_t room = counts->room ? counts->room : 64;
    while (room <= id)
        room *= 2;
    struct pinsight_native_count *grown = calloc(room, sizeof *grown);
    if (!grown)
        return false;
    pthread_mutex_lock(&native->count_lock);
    if (counts->at)
        memcpy(grown, counts->at, counts->room * sizeof *grown);
    free(counts->at);
    counts->at = grown;
    counts->room = room;
    pthread_mutex_unlock(&native->count_lock);
    return true;
}

/* The lock is held. */
static void write_thread(struct pinsight_native *native, struct pinsight_native_thread *thread) {
    double rate = pinsight_clock_rate();
    for (uint32_t id = 1; id < thread->counts.room; id++) {
        struct pinsight_native_count *count = &thread->counts.at[id];
        uint64_t calls = atomic_load_explicit(&count->calls, memory_order_relaxed);
        uint64_t inclusive = atomic_load_explicit(&count->inclusive, memory_order_relaxed);
        uint64_t exclusive = atomic_load_explicit(&count->exclusive, memory_order_relaxed);
        const struct pinsight_native_lexgion *lexgion =
            calls == count->calls_written ? NULL : pinsight_native_lexgion_by_id(native->table, id);
        if (!lexgion)
            continue;
        struct pinsight_profile profile = {
            .tid = thread->core->tid,
            .python_thread_id = thread->core->python_thread_id,
            .is_region = true,
            .lexgion = id,
            .name = lexgion->label,
            .filename = lexgion->object,
            .calls = calls - count->calls_written,
            .inclusive_ns = (uint64_t)((double)(inclusive - count->inclusive_written) * rate),
            .exclusive_ns = (uint64_t)((double)(exclusive - count->exclusive_written) * rate),
        };
        pinsight_info_profile(native->domain, &profile);
        count->calls_written = calls;
        count->inclusive_written = inclusive;
        count->exclusive_written = exclusive;
    }
}

void pinsight_native_count_flush_thread(struct pinsight_native *native,
                                        struct pinsight_native_thread *thread) {
    pthread_mutex_lock(&native->count_lock);
    write_thread(native, thread);
    pthread_mutex_unlock(&native->count_lock);
}

static void visit(struct pinsight_thread *core, void *data) {
    struct pinsight_native *native = data;
    struct pinsight_native_thread *thread = core->state[native->domain->slot];
    if (thread)
        write_thread(native, thread);
}

void pinsight_native_count_flush(struct pinsight_native *native) {
    pthread_mutex_lock(&native->count_lock);
    pinsight_thread_each(visit, native);
    pthread_mutex_unlock(&native->count_lock);
}
