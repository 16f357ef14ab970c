/* Errors and times of libbabeltrace2. An error that is not taken ends the process at the next
 * call. */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_H
#define PINSIGHT_READER_CTF_BABELTRACE_H

#include <babeltrace2/babeltrace.h>
#include <stdint.h>

/* Returns the innermost cause of babeltrace's current error as new text, or NULL without an error.
 * Clears the error. */
char *pinsight_take_error(void);

/* Returns nanoseconds since 1970; 0 for earlier times, and for times that do not fit. */
uint64_t pinsight_snapshot_ns(const bt_clock_snapshot *snapshot);

#endif
