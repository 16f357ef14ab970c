/*
 * Allocations of Python's memory by function and line: in front of the allocators of the
 * interpreter's three domains (PyMem_SetAllocator) stand functions that count how often, and how
 * much, the innermost line of Python asks for. Sums are written, never single allocations. On
 * request each block has an owner, and what lives is known too.
 */
#ifndef PINSIGHT_PYTHON_ALLOCATIONS_H
#define PINSIGHT_PYTHON_ALLOCATIONS_H

#include "config/config.h"

/* Count so much from now on. Where another tool has put its allocators in front of ours since, ours
 * stay when nothing is to be counted. Again does nothing. Holds the GIL of the main interpreter. */
void pinsight_allocations_count(enum pinsight_allocations what);

/* Write what was counted since the last time. Holds the GIL of the main interpreter. */
void pinsight_allocations_write(void);

/* In a forked child: what was counted is the parent's. */
void pinsight_allocations_fork_child(void);

#endif
