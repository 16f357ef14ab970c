/* The limit of lines whose allocations a process counts by themselves. */
#ifndef PINSIGHT_FORMAT_ALLOCATED_LINES_H
#define PINSIGHT_FORMAT_ALLOCATED_LINES_H

#include <stdint.h>

/* After this many lines, functions without a counted line are counted together. A program can make
 * functions without end (eval), and each line takes some 700 bytes. */
#define PINSIGHT_ALLOCATED_LINES_MOST 65536u

/* The call path of their sums in the events. */
#define PINSIGHT_ALLOCATED_FURTHER UINT32_MAX

#endif
