/* A run: successive decoded events of one stream that have not been passed on. A domain for which
 * each single event is expensive may take several events of a run at once; see `take_run` in
 * reader/domain.h. */
#ifndef PINSIGHT_READER_CTF_RUN_H
#define PINSIGHT_READER_CTF_RUN_H

#include "reader/ctf/event.h"

#include <stddef.h>

struct pinsight_record {
    uint64_t ns;    /* as in an event */
    uint32_t at;    /* position of its contexts and fields in the run's bytes */
    uint32_t class; /* number among the classes of its stream */
};

/* The owner of a stream's events, as its domain found at the last run of a packet. All zero means
 * unknown. */
struct pinsight_run_owner {
    const unsigned char *packet;
    void *thread;
    uint64_t as_of; /* version of the assignment of events to threads */
};

struct pinsight_run {
    const struct pinsight_record *records;
    size_t count;       /* at least 1 */
    uint64_t before_ns; /* events after the first may be taken only if they are earlier, */
    /* or if they commute, are earlier than this, and make nothing whose number or order depends on
     * the order of events; 0: none. See merge_limits.h */
    uint64_t ahead_ns;
    /* by class; NULL for a class without events yet */
    const struct pinsight_binding *const *bindings;
    const unsigned char *bytes;
    const struct pinsight_event *first; /* the first record, as an event */
    const bool *ended;                  /* no event may be taken after one that sets this */
    struct pinsight_run_owner *owner;   /* of the stream */
};

#endif
