/*
 * Chunks of a trace that the processes write themselves: what was recorded since the last one, as a
 * trace of its own within the folder of the host,
 *
 *   .chunks/N       the chunk: metadata, and streams with the names that they have in the trace
 *   .chunks/ends    how far each stream was given
 *
 * The trace itself stays whole. Readers of it pass over its chunks; babeltrace2 does not look for
 * traces within one.
 */
#ifndef PINSIGHT_INTROSPECT_CHUNK_H
#define PINSIGHT_INTROSPECT_CHUNK_H

#include <limits.h>

/* Makes the next chunk of an output, of what this host recorded; buffers are read as they are.
 * Writes its path to `chunk`. Returns 0, or an errno. One at a time, which waits for others. */
int pinsight_chunk_make(const char *output, char chunk[PATH_MAX]);

#endif
