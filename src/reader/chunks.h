/* Chunks of a trace that was rotated. LTTng keeps them below the folder of the trace:
 *
 *   TRACE/archives/CHUNK/ust/uid/1000/64-bit/events_0     whole ones
 *   TRACE/CHUNK/ust/…                                     the one that is being written
 *
 * Their streams go on from one chunk to the next, with the numbers of packets and with the count of
 * what was discarded. */
#ifndef PINSIGHT_READER_CHUNKS_H
#define PINSIGHT_READER_CHUNKS_H

#include "reader/packet.h"

#include <stdbool.h>
#include <stdint.h>

/* What of the first packet's count of discarded events is of earlier packets. path is a stream file
 * that does not start with its stream's first packet. Where the chunk before it is not there that
 * is taken to be all. */
uint64_t pinsight_chunks_discarded_before(const char *path, const struct pinsight_packets *packets);

/* Whether a path is of a chunk that is still being written. */
bool pinsight_chunks_is_open(const char *path);

/* The folder of the whole trace that a chunk belongs to, to be freed; NULL where path is no chunk.
 * path has to exist. */
char *pinsight_chunks_whole(const char *path);

#endif
