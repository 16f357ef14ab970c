/*
 * The machine's clocks, even if a library of the program replaces clock_gettime(2). PInsight asks
 * the kernel directly (vdso(7) or the system call) and subtracts the offset of a time namespace
 * (time_namespaces(7)). Any thread.
 */
#ifndef PINSIGHT_BASE_KERNEL_CLOCK_H
#define PINSIGHT_BASE_KERNEL_CLOCK_H

#include "pinsight/pinsight.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Returns the present time of a clock, in nanoseconds. May be called in signal handlers. */
uint64_t pinsight_kernel_ns(clockid_t clock);

/* Writes to `name` the reason why this process's clock differs from the machine's: "a time
 * namespace", or the name of the library whose clock_gettime() the program calls. Writes "" if the
 * clocks agree. Not async-signal-safe. */
void pinsight_kernel_clock_differs(char *name, size_t room);

#endif
