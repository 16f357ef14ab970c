/* Calls of libbabeltrace2 whose errors are taken care of: one that is left behind ends the process
 * at the next call. */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_H
#define PINSIGHT_READER_CTF_BABELTRACE_H

#include <babeltrace2/babeltrace.h>
#include <stdint.h>

/* The innermost cause of babeltrace's current error as new text, which is then cleared; NULL where
 * there is none. */
char *pinsight_take_error(void);

/* Nanoseconds since 1970; 0 before that, and where they are too many to be told. */
uint64_t pinsight_snapshot_ns(const bt_clock_snapshot *snapshot);

#endif
