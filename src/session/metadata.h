/* What of a trace is on disk: its size, and whether its description is complete. */
#ifndef PINSIGHT_SESSION_METADATA_H
#define PINSIGHT_SESSION_METADATA_H

#include <stdbool.h>
#include <stdint.h>

/* The sum of the sizes of all files below `folder`, 0 where there are none. */
uint64_t pinsight_trace_size(const char *folder);

/*
 * Is the description (CTF metadata) of the trace below `folder` complete: does it end with a whole
 * declaration, and does it declare events of every provider of PInsight's, `with_large` of those
 * too that are described beforehand only where they are expected? Reads CTF 1.8 metadata in packets
 * (https://diamon.org/ctf/, section 7.1), as LTTng writes it.
 */
bool pinsight_trace_is_described(const char *folder, bool with_large);

#endif
