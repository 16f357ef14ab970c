/*
 * Flight recorders: a process keeps only the last part of its events (ring.c). How much, and what
 * it dropped: in the file .PID-START-ring of the folder, struct pinsight_ring_head.
 */
#ifndef PINSIGHT_RECORD_FILE_RING_HEAD_H
#define PINSIGHT_RECORD_FILE_RING_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/file/layout.h"

/* What a process is told to keep. */
#define PINSIGHT_RING_VARIABLE "PINSIGHT_RING"
/* By which signal a dump is asked for: base/signal_name.h. */
#define PINSIGHT_RING_SIGNAL_VARIABLE "PINSIGHT_RING_SIGNAL"

/* For messages. */
#define PINSIGHT_RING_FORMS                                                                        \
    "a size of 256K or more, such as 64M, or a time of 1 s or more, such as 30s or 5min"

/* How much is kept; one of them is 0. */
struct pinsight_ring_limit {
    uint64_t bytes;
    uint64_t ns;
};

/* Reads 64M or 30s; a time has the unit s, min or h. False for anything else, and for less than
 * 256 KiB or 1 s; *limit is then untouched. */
bool pinsight_ring_limit_parse(const char *text, struct pinsight_ring_limit *limit);

/* Maps the head's file of the process that a file of a stream or of a buffer belongs to, by that
 * file's name; to write where it is asked for. NULL where there is none that is known. To be
 * unmapped. */
struct pinsight_ring_head *pinsight_ring_head_map(int folder, const char *name, bool writes);

void pinsight_ring_head_unmap(struct pinsight_ring_head *head);

/* There was an event at that time. Any process and thread, several at once. */
void pinsight_ring_head_note(struct pinsight_ring_head *head, uint64_t ticks);

#endif
