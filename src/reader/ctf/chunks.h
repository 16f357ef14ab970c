/*
 * Chunks of a rotated trace. LTTng keeps them below the folder of the trace:
 *
 *   TRACE/archives/CHUNK/ust/uid/1000/64-bit/events_0     complete ones
 *   TRACE/CHUNK/ust/…                                     the one that is being written
 *
 * Their streams continue from one chunk to the next, with the numbers of packets and the count of
 * discarded events.
 */
#ifndef PINSIGHT_READER_CTF_CHUNKS_H
#define PINSIGHT_READER_CTF_CHUNKS_H

#include "reader/ctf/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the part of the first packet's count of discarded events that belongs to earlier packets.
 * `path` is a stream file that does not start with its stream's first packet. If the chunk before
 * it is missing, returns the whole count. */
uint64_t pinsight_chunks_discarded_before(const char *path, const struct pinsight_packets *packets);

/* Finds the earlier chunks of a trace, for the folder `path` of one chunk, oldest first. They have
 * definitions that this chunk may lack. Returns their number. The caller frees *folders and its
 * items. `path` must exist. */
size_t pinsight_chunks_before(const char *path, char ***folders);

/* Returns the number of the chunk that contains a path, from 0; -1 if none does. */
long pinsight_chunks_number(const char *path);

/* Returns whether a path belongs to a chunk that is still being written. */
bool pinsight_chunks_is_open(const char *path);

/* Returns the folder of the whole trace that contains a chunk, or NULL if `path` is no chunk. The
 * caller frees it. `path` must exist. */
char *pinsight_chunks_whole(const char *path);

#endif
