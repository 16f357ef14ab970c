/* Chunks of a trace that was rotated. LTTng keeps them below the folder of the trace:
 *
 *   TRACE/archives/CHUNK/ust/uid/1000/64-bit/events_0     whole ones
 *   TRACE/CHUNK/ust/…                                     the one that is being written
 *
 * Their streams go on from one chunk to the next, with the numbers of packets and with the count of
 * what was discarded. */
#ifndef PINSIGHT_READER_CTF_CHUNKS_H
#define PINSIGHT_READER_CTF_CHUNKS_H

#include "reader/ctf/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of the first packet's count of discarded events is of earlier packets. path is a stream file
 * that does not start with its stream's first packet. Where the chunk before it is not there that
 * is taken to be all. */
uint64_t pinsight_chunks_discarded_before(const char *path, const struct pinsight_packets *packets);

/* The folders of a trace's earlier chunks that stand for a folder of one chunk, oldest first: where
 * definitions are that this chunk may lack. Returns how many; *folders and what it points to are
 * the caller's to free. path has to exist. */
size_t pinsight_chunks_before(const char *path, char ***folders);

/* The number of the chunk that a path is in, counted from 0; -1 where it is in none. */
long pinsight_chunks_number(const char *path);

/* Whether a path is of a chunk that is still being written. */
bool pinsight_chunks_is_open(const char *path);

/* The folder of the whole trace that a chunk belongs to, to be freed; NULL where path is no chunk.
 * path has to exist. */
char *pinsight_chunks_whole(const char *path);

#endif
