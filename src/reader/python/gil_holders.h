/*
 * Finds the function in which a thread released the GIL, if the event of the waiting thread lacks
 * it.
 *
 * A thread that is forced to release the GIL wants it again at once. If it began to wait while
 * another thread waited for it, it released the GIL there. Either of the two waits may be recorded
 * first. A limited number of waits is kept for each thread. Not thread-safe.
 */
#ifndef PINSIGHT_READER_PYTHON_GIL_HOLDERS_H
#define PINSIGHT_READER_PYTHON_GIL_HOLDERS_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

/* A wait for the thread that held the GIL. */
struct pinsight_gil_held {
    uint64_t begin_ns, end_ns;
};

struct pinsight_gil_holder;

/* All zero is empty. */
struct pinsight_gil_holders {
    struct pinsight_gil_holder *holders;
    size_t count, capacity;
    struct pinsight_map map;
};

/* Notes that a thread of a process (its index and OS thread id) began to wait in a function. Calls
 * `found` for each earlier wait for this thread that this explains. */
void pinsight_gil_holder_waits(struct pinsight_gil_holders *holders, uint32_t process, uint32_t tid,
                               uint64_t ns, uint32_t function,
                               void (*found)(void *data, const struct pinsight_gil_held *held,
                                             uint32_t function),
                               void *data);

/* Returns the function in which the awaited thread released the GIL. Returns PINSIGHT_NONE if it is
 * not known yet; `found` may be called for it later. */
uint32_t pinsight_gil_holder_of(struct pinsight_gil_holders *holders, uint32_t process,
                                uint32_t tid, const struct pinsight_gil_held *held);

void pinsight_gil_holders_clear(struct pinsight_gil_holders *holders);

#endif
