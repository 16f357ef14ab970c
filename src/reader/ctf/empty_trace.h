/* Traces of processes that recorded nothing. */
#ifndef PINSIGHT_READER_CTF_EMPTY_TRACE_H
#define PINSIGHT_READER_CTF_EMPTY_TRACE_H

#include <stdbool.h>

/* Returns whether the trace in a folder describes no stream and has no event. LTTng leaves such a
 * trace of a process that was killed while it registered, and babeltrace2 refuses it. Any
 * thread. */
bool pinsight_trace_is_empty(const char *folder);

#endif
