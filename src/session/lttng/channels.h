/* The channels of a session, and which events go into which. */
#ifndef PINSIGHT_SESSION_LTTNG_CHANNELS_H
#define PINSIGHT_SESSION_LTTNG_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/timeout.h"

/*
 * Sub-buffers: each channel has PINSIGHT_SUB_BUFFERS of them for every processor that the machine
 * can have (lttng-concepts(7)), in shared memory, all of it taken by each process that registers.
 */
enum { PINSIGHT_SUB_BUFFERS = 4 };

struct pinsight_channel_sizes {
    uint64_t definitions; /* bytes of one sub-buffer, powers of two */
    uint64_t events;
    uint64_t registry; /* 0: no such channel */
};

struct pinsight_machine {
    unsigned processors;    /* that there can be */
    uint64_t shared_memory; /* bytes free in /dev/shm */
    uint64_t memory;        /* bytes of memory */
};

void pinsight_machine_look(struct pinsight_machine *machine);

/*
 * Chooses sizes: `wanted` bytes for a sub-buffer of the channel that takes Python's events, 0 for
 * what suits the machine. The reasons stand in channels.c.
 */
struct pinsight_channel_sizes pinsight_channel_choose_sizes(const struct pinsight_machine *machine,
                                                            bool registry, uint64_t wanted);

/* How much shared memory these channels take for each process, with what LTTng puts beside the
 * data.
 */
uint64_t pinsight_channel_memory(const struct pinsight_machine *machine,
                                 const struct pinsight_channel_sizes *sizes);

struct lttng_handle;

/*
 * Makes the channels in the session of `handle`, with their contexts, and enables every event of
 * PInsight's. `lossless`: a full buffer makes the program wait, at most 2 s an event; otherwise the
 * event is dropped and counted. Definitions always wait. Returns 0 or a negative LTTng error code;
 * `what` then names the step that failed.
 */
int pinsight_channels_make(struct lttng_handle *handle, const struct pinsight_channel_sizes *sizes,
                           bool lossless, const struct pinsight_pulse *pulse, const char **what);

#endif
