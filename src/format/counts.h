/*
 * Memory in which the processes of a run count their recorded events. The run's supervisor shares
 * it, so that each count is exact however the process ends.
 *
 * The supervisor makes one file without a name (memfd_create(2)). The file cannot shrink, so that
 * no process can access a mapping beyond its end. A process that joins the session gets the file
 * and the number of its part. Part 0 is the supervisor's own. The file is not on a disk: the kernel
 * locks a page of such a file while it writes the page, and a counting thread would wait for the
 * disk.
 *
 * Header only, so that the command and the library that is loaded into programs share it.
 */
#ifndef PINSIGHT_FORMAT_COUNTS_H
#define PINSIGHT_FORMAT_COUNTS_H

#include <stdint.h>

enum {
    PINSIGHT_COUNTS_PART = 65536, /* bytes; a multiple of every page size */
    PINSIGHT_COUNTS_PARTS = 16384,
    PINSIGHT_COUNTS_FIRST = 4096, /* bytes of a part that have memory before it is granted */
    PINSIGHT_COUNTS_PLACES = PINSIGHT_COUNTS_PART / 64 - 1,
};

/* The count of one thread, in a cache line of its own. */
struct pinsight_recorded {
    _Alignas(64) uint64_t events; /* only the thread itself writes it */
    uint64_t added;               /* events that are in the process's sum; for recorded.c alone */
};

/* A part of the file. Memory for `places` is allocated as needed. */
struct pinsight_counts {
    _Alignas(64) uint32_t next; /* in part 0 alone: the number of the next part */
    int32_t pid;                /* the process's number, as the process itself sees it */
    _Atomic uint32_t used;      /* places that threads use or have used */
    _Atomic uint32_t elsewhere; /* 1 if a thread found no place; the sum is then too small */
    struct pinsight_recorded places[PINSIGHT_COUNTS_PLACES];
};

_Static_assert(sizeof(struct pinsight_counts) == PINSIGHT_COUNTS_PART, "a part is a part");

/* The memory that a process gets when it joins a session. */
struct pinsight_counts_grant {
    int fd;          /* the file, or -1; the caller closes it */
    uint32_t number; /* number of the part, from 1; 0 without one */
};

#endif
