/* Finds the holders of the GIL; see gil_holders.h. */
#include "reader/python/gil_holders.h"

#include "base/memory.h"
#include "reader/model.h"

#include <string.h>

/* The most elements that are kept for each thread. */
#define WAITS 128u
#define HELD 128u
/* The longest time from the end of another thread's wait to the begin of the wait of the thread
 * that released the GIL. */
#define LATER_NS 1000000u

struct own_wait {
    uint64_t begin_ns;
    uint32_t function;
};

struct pinsight_gil_holder {
    struct own_wait *waits;         /* a ring of the last waits */
    struct pinsight_gil_held *held; /* waits of others whose function is unknown */
    uint64_t wait_count;
    size_t wait_capacity, held_count, held_capacity;
};

static struct pinsight_gil_holder *holder_of(struct pinsight_gil_holders *holders, uint32_t process,
                                             uint32_t tid) {
    return PINSIGHT_KEYED(&holders->map, process, tid, 0, holders->holders, holders->count,
                          holders->capacity, .waits = NULL);
}

static bool tells(uint64_t begin_ns, const struct pinsight_gil_held *held) {
    return begin_ns > held->begin_ns && begin_ns <= held->end_ns + LATER_NS;
}

void pinsight_gil_holder_waits(struct pinsight_gil_holders *holders, uint32_t process, uint32_t tid,
                               uint64_t ns, uint32_t function,
                               void (*found)(void *data, const struct pinsight_gil_held *held,
                                             uint32_t function),
                               void *data) {
    struct pinsight_gil_holder *holder = holder_of(holders, process, tid);
    size_t left = 0;

    if (holder->wait_count < WAITS)
        holder->waits = pinsight_grow(holder->waits, (size_t)holder->wait_count,
                                      &holder->wait_capacity, sizeof(*holder->waits));
    holder->waits[holder->wait_count++ % WAITS] = (struct own_wait){ns, function};
    for (size_t i = 0; i < holder->held_count; i++) {
        const struct pinsight_gil_held *held = &holder->held[i];

        if (tells(ns, held))
            found(data, held, function);
        else if (ns <= held->end_ns + LATER_NS)
            holder->held[left++] = *held;
    }
    holder->held_count = left;
}

uint32_t pinsight_gil_holder_of(struct pinsight_gil_holders *holders, uint32_t process,
                                uint32_t tid, const struct pinsight_gil_held *held) {
    struct pinsight_gil_holder *holder = holder_of(holders, process, tid);
    uint64_t count = holder->wait_count < WAITS ? holder->wait_count : WAITS;

    for (uint64_t i = holder->wait_count; i > holder->wait_count - count; i--)
        if (tells(holder->waits[(i - 1) % WAITS].begin_ns, held))
            return holder->waits[(i - 1) % WAITS].function;
    if (holder->held_count == HELD)
        memmove(holder->held, holder->held + 1, --holder->held_count * sizeof(*holder->held));
    *PINSIGHT_ADD(holder->held, holder->held_count, holder->held_capacity) = *held;
    return PINSIGHT_NONE;
}

void pinsight_gil_holders_clear(struct pinsight_gil_holders *holders) {
    for (size_t i = 0; i < holders->count; i++) {
        free(holders->holders[i].waits);
        free(holders->holders[i].held);
    }
    free(holders->holders);
    pinsight_map_clear(&holders->map);
    *holders = (struct pinsight_gil_holders){0};
}
