/*
 * Chunks of a trace of the file recorder. A chunk has the data since the last one, as a trace of
 * its own within the folder of the host:
 *
 *   .chunks/N       the chunk: metadata, and streams with their names in the trace
 *   .chunks/ends    the end of each stream's part in the chunks so far
 *
 * The trace itself stays whole. PInsight's reader ignores its chunks. babeltrace2 does not look for
 * traces within a trace.
 */
#ifndef PINSIGHT_INTROSPECT_CHUNK_H
#define PINSIGHT_INTROSPECT_CHUNK_H

#include <limits.h>

/* Makes the next chunk of an output, for this host. Buffers are read in place. Writes the chunk's
 * path to `chunk`. Returns 0 or an errno. Only one call runs at a time; others wait. */
int pinsight_chunk_make(const char *output, char chunk[PATH_MAX]);

#endif
