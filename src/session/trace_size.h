/* The size of a trace. */
#ifndef PINSIGHT_SESSION_TRACE_SIZE_H
#define PINSIGHT_SESSION_TRACE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the sum of the sizes of all files below `folder` in bytes; 0 if there are none. One
 * thread. */
uint64_t pinsight_trace_size(const char *folder);

/* Returns the size of the largest file below `folder` in bytes; 0 if there are none. */
uint64_t pinsight_trace_largest_file(const char *folder);

/* Returns whether the folder's disk is full, so that the end of a trace is cut off. */
bool pinsight_trace_disk_is_full(const char *folder);

#endif
