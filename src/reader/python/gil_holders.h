/*
 * The function in which a thread let the GIL go, where the event of who waited for it does not say.
 *
 * A thread that is made to let go wants the GIL again at once. So where it began to wait while
 * another waited for it, that is where it let go. Which of the two is recorded first is not said.
 * A bounded number of waits is kept of each thread. Not thread-safe.
 */
#ifndef PINSIGHT_READER_PYTHON_GIL_HOLDERS_H
#define PINSIGHT_READER_PYTHON_GIL_HOLDERS_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

/* A wait for a thread. */
struct pinsight_gil_held {
    uint64_t begin_ns, end_ns;
};

struct pinsight_gil_holder;

/* All zero is none. */
struct pinsight_gil_holders {
    struct pinsight_gil_holder *holders;
    size_t count, capacity;
    struct pinsight_map map;
};

/* A thread of a process (its index and OS thread id) began to wait in a function. Calls `found`
 * for each wait for it of which that is told by this. */
void pinsight_gil_holder_waits(struct pinsight_gil_holders *holders, uint32_t process, uint32_t tid,
                               uint64_t ns, uint32_t function,
                               void (*found)(void *data, const struct pinsight_gil_held *held,
                                             uint32_t function),
                               void *data);

/* The function in which the thread that was waited for let go, or PINSIGHT_NONE: then it may be
 * found later. */
uint32_t pinsight_gil_holder_of(struct pinsight_gil_holders *holders, uint32_t process,
                                uint32_t tid, const struct pinsight_gil_held *held);

void pinsight_gil_holders_clear(struct pinsight_gil_holders *holders);

#endif
