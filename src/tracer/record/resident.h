/* The resident memory of the process, read from time to time. For the recorders. Any thread.
 * Async-signal-safe. No function changes errno or is a cancellation point (pthreads(7)). */
#ifndef PINSIGHT_RECORD_RESIDENT_H
#define PINSIGHT_RECORD_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

/* The least time between two readings of a process. A reading takes some microseconds. */
#define PINSIGHT_RESIDENT_NS UINT64_C(20000000)

/* Returns the resident memory of the process in bytes, at a time `now`. Returns 0 if any thread has
 * read it within the last `interval`, in the unit of `now`. Also returns 0 if the program forbids
 * it to open files, and if the kernel does not provide the number. */
uint64_t pinsight_resident_bytes(uint64_t now, uint64_t interval);

#endif
