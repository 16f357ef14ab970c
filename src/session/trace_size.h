/* How large a trace is. */
#ifndef PINSIGHT_SESSION_TRACE_SIZE_H
#define PINSIGHT_SESSION_TRACE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The sum of the sizes of all files below `folder` in bytes, 0 where there are none. One thread. */
uint64_t pinsight_trace_size(const char *folder);

/* The size of the largest file below `folder`, 0 where there are none. */
uint64_t pinsight_trace_largest_file(const char *folder);

/* Has the disk with that folder no room for a trace? Then its end is cut off. */
bool pinsight_trace_disk_is_full(const char *folder);

#endif
