/*
 * The limits and losses of a flight recorder, which keeps only the most recent events of a process
 * (ring.c). They are in the file .PID-START-ring of the folder, a struct pinsight_ring_head.
 */
#ifndef PINSIGHT_FORMAT_RING_HEAD_H
#define PINSIGHT_FORMAT_RING_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/layout.h"

/* The variable with the limit. */
#define PINSIGHT_RING_VARIABLE "PINSIGHT_RING"
/* The variable with the signal that requests a dump; see base/signal_name.h. */
#define PINSIGHT_RING_SIGNAL_VARIABLE "PINSIGHT_RING_SIGNAL"

/* The valid forms of a limit, for messages. */
#define PINSIGHT_RING_FORMS                                                                        \
    "a size of 256K or more, such as 64M, or a time of 1 s or more, such as 30s or 5min"

/* The limit of the kept data; one of the members is 0. */
struct pinsight_ring_limit {
    uint64_t bytes;
    uint64_t ns;
};

/* Reads a limit such as 64M or 30s. The units of a time are s, min and h. Returns false for any
 * other text, and for less than 256 KiB or 1 s; *limit is then unchanged. */
bool pinsight_ring_limit_parse(const char *text, struct pinsight_ring_limit *limit);

/* Maps the head's file of a process. `name` is the name of any file of the process's streams or
 * buffers. `writes` maps it for writing. Returns NULL if there is none of a known version. The
 * caller unmaps it. */
struct pinsight_ring_head *pinsight_ring_head_map(int folder, const char *name, bool writes);

void pinsight_ring_head_unmap(struct pinsight_ring_head *head);

/* Notes the time of an event, if it is the latest. Any number of processes and threads may call it
 * at the same time. */
void pinsight_ring_head_note(struct pinsight_ring_head *head, uint64_t ticks);

#endif
