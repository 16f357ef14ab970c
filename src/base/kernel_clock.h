/*
 * The machine's clocks, whatever a library of the program makes of clock_gettime(2): the kernel is
 * asked past libc (vdso(7), or the system call), and what a time namespace adds is taken off
 * (time_namespaces(7)). Any thread, and signal handlers.
 */
#ifndef PINSIGHT_BASE_KERNEL_CLOCK_H
#define PINSIGHT_BASE_KERNEL_CLOCK_H

#include "pinsight/pinsight.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Now, in nanoseconds. */
uint64_t pinsight_kernel_ns(clockid_t clock);

/* What this process's own clock is: writes "" where it is the machine's; "a time namespace", or the
 * name of the library whose clock_gettime() the program calls. Not in a signal handler. */
void pinsight_kernel_clock_differs(char *name, size_t room);

#endif
