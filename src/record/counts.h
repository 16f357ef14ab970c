/*
 * Where the processes of a run count what they record: in memory that the run's supervisor has too,
 * so that a count is there to the last event however its process ends.
 *
 * The supervisor makes one file without a name, memfd_create(2), which cannot shrink: nobody who
 * has mapped it meets an end of it. A process that joins the session (join.h) is handed a part of
 * it with the part's number. Part 0 is the supervisor's own. A disk has no say in this: a page of a
 * file on one is taken away to be written, and who counts meanwhile would wait for the disk.
 *
 * Header only, so that the command and the library that is loaded into programs share it.
 */
#ifndef PINSIGHT_RECORD_COUNTS_H
#define PINSIGHT_RECORD_COUNTS_H

#include "record/tls.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PINSIGHT_COUNTS_PART = 65536, /* bytes; a multiple of every size of a page */
    PINSIGHT_COUNTS_PARTS = 16384,
    PINSIGHT_COUNTS_FIRST = 4096, /* of a part: what has memory before it is granted */
    PINSIGHT_COUNTS_PLACES = PINSIGHT_COUNTS_PART / 64 - 1,
};

/* What one thread recorded. Each has a cache line of its own. */
struct pinsight_recorded {
    _Alignas(64) uint64_t events; /* only the thread itself writes it */
    uint64_t added; /* those of them that are in the process's sum; for recorded.c alone */
};

/* A part of the file. Memory for `places` is there as far as it is needed. */
struct pinsight_counts {
    _Alignas(64) uint32_t next; /* in part 0 alone: the number of the next part */
    int32_t pid;                /* of the process, as it sees itself */
    _Atomic uint32_t used;      /* places that threads have or had, one after the other */
    _Atomic uint32_t elsewhere; /* 1 where a thread found no place: the sum is less than all */
    struct pinsight_recorded places[PINSIGHT_COUNTS_PLACES];
};

_Static_assert(sizeof(struct pinsight_counts) == PINSIGHT_COUNTS_PART, "a part is a part");

/* What a process gets that joins a session. */
struct pinsight_counts_grant {
    int fd;          /* the file, -1 where there is none; to be closed by who asked */
    uint32_t number; /* of the part, from 1; 0 where there is none */
};

#ifndef PINSIGHT_RECORD_UNCOUNTED
/* Where threads of this process count (core/recorded.c). */
extern struct pinsight_counts pinsight_recorded_counts;

/* The first place is for threads that have no state yet, or none any more. They may be several, so
 * that some events are not counted; none is counted that was not recorded. */
#define PINSIGHT_RECORDED_STATELESS (&pinsight_recorded_counts.places[0])

/*
 * Count an event that was recorded. `listened` is what the event's _enabled() said before: an event
 * that nobody listens to is not in a trace.
 */
static inline void pinsight_recorded_count(bool listened) {
    struct pinsight_recorded *recorded = pinsight_tls()->recorded;
    __atomic_store_n(&recorded->events,
                     __atomic_load_n(&recorded->events, __ATOMIC_RELAXED) + listened,
                     __ATOMIC_RELAXED);
}
#else
/* For programs that make events without the core: benches and tests. */
static inline void pinsight_recorded_count(bool listened) {
    (void)listened;
}
#endif

#endif
