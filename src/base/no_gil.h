/*
 * Free-threaded builds of CPython: PInsight does not record tasks there. A process that used
 * asyncio without a GIL is noted by a mark in the output folder (reported.h).
 */
#ifndef PINSIGHT_BASE_NO_GIL_H
#define PINSIGHT_BASE_NO_GIL_H

#include <stdbool.h>
#include <stddef.h>

/* Notes that a process used asyncio without a GIL, in the folder `output`, or NULL. Only the first
 * process that calls this writes the mark. Returns false without such a folder. Any thread. */
bool pinsight_no_gil_write(const char *output);

/* Returns whether a process of the run in `output` used asyncio without a GIL. Any thread. */
bool pinsight_no_gil_read(const char *output);

#endif
