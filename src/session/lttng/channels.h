/* The channels of a session, and the assignment of events to channels. */
#ifndef PINSIGHT_SESSION_LTTNG_CHANNELS_H
#define PINSIGHT_SESSION_LTTNG_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/timeout.h"

/*
 * The number of sub-buffers of a channel for each possible processor of the machine
 * (lttng-concepts(7)). They are in shared memory. Each process that registers allocates all of
 * them.
 */
enum { PINSIGHT_SUB_BUFFERS = 4 };

struct pinsight_channel_sizes {
    uint64_t definitions; /* bytes of a sub-buffer, powers of two */
    uint64_t events;
    uint64_t registry; /* 0: no such channel */
};

struct pinsight_machine {
    unsigned processors;    /* number of possible processors */
    uint64_t shared_memory; /* free bytes in /dev/shm */
    uint64_t memory;        /* bytes */
};

void pinsight_machine_look(struct pinsight_machine *machine);

/*
 * Chooses the sizes of sub-buffers. `wanted` is the number of bytes for the channel of Python's
 * events, or 0 for a size that suits the machine. channels.c explains the choice.
 */
struct pinsight_channel_sizes pinsight_channel_choose_sizes(const struct pinsight_machine *machine,
                                                            bool registry, uint64_t wanted);

/* Returns the shared memory in bytes that the channels need for each process, including LTTng's own
 * data. */
uint64_t pinsight_channel_memory(const struct pinsight_machine *machine,
                                 const struct pinsight_channel_sizes *sizes);

struct lttng_handle;

/*
 * Makes the channels in the session of `handle`, with their contexts, and enables all events of
 * PInsight. With `lossless`, a full buffer makes the program wait, at most 2 s for an event.
 * Otherwise the event is dropped and counted. Definitions always wait. Returns 0, or a negative
 * LTTng error code with the failed step in `what`.
 */
int pinsight_channels_make(struct lttng_handle *handle, const struct pinsight_channel_sizes *sizes,
                           bool lossless, const struct pinsight_pulse *pulse, const char **what);

#endif
