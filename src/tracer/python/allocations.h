/*
 * Counts allocations of Python's memory by function and line. Functions in front of the allocators
 * of the interpreter's three domains (PyMem_SetAllocator) count the requests and bytes of the
 * innermost line of Python. Only sums are recorded, no single allocations. With `allocations =
 * live`, each block has an owner, so that the memory in use is known, too.
 */
#ifndef PINSIGHT_PYTHON_ALLOCATIONS_H
#define PINSIGHT_PYTHON_ALLOCATIONS_H

#include "config/config.h"

/* Sets the kind of counts from now on. If another tool has put its allocators in front of ours
 * since then, ours stay even if nothing is counted. Repeated calls do nothing. Holds the GIL of the
 * main interpreter. */
void pinsight_allocations_count(enum pinsight_allocations what);

/* Records the counts since the last call. Holds the GIL of the main interpreter. */
void pinsight_allocations_write(void);

/* Resets the counts in a forked child, because they are the parent's. */
void pinsight_allocations_fork_child(void);

#endif
