/* Traces of processes that recorded nothing. */
#ifndef PINSIGHT_READER_CTF_NOTHING_H
#define PINSIGHT_READER_CTF_NOTHING_H

#include <stdbool.h>

/* Returns whether the trace in a folder describes no stream and has no event. LTTng leaves such a
 * trace of a process that was killed while it registered, and babeltrace2 refuses it. Any
 * thread. */
bool pinsight_nothing_is_in(const char *folder);

#endif
