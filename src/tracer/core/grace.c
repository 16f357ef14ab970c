/*
 * Readers are counted. Each thread uses one of several counters, so that threads seldom share one.
 * A counter that the writer sees at 0 has no reader from before. Every access is a
 * read-modify-write operation, so that a reader that comes later sees the writer's replacement (see
 * grace.h).
 */
#include "tracer/core/grace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { PLACE_BITS = 6, SPINS = 100, NAP_NS = 20000 };

static struct { _Alignas(64) _Atomic int count; } places[1 << PLACE_BITS];

static _Atomic int *own_place(void) {
    uint64_t thread = (uint64_t)pthread_self() >> 6;
    return &places[thread * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS)].count;
}

void pinsight_reader_enters(void) {
    atomic_fetch_add_explicit(own_place(), 1, memory_order_acq_rel);
}

void pinsight_reader_leaves(void) {
    atomic_fetch_sub_explicit(own_place(), 1, memory_order_acq_rel);
}

void pinsight_readers_wait(void) {
    for (unsigned i = 0; i < 1 << PLACE_BITS; i++)
        for (unsigned looks = 0;
             atomic_fetch_add_explicit(&places[i].count, 0, memory_order_acq_rel) > 0; looks++)
            if (looks >= SPINS)
                nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

void pinsight_readers_fork_child(void) {
    memset(places, 0, sizeof places);
}
