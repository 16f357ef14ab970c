/* Events of one stream that stand one behind the other, decoded and not handed on yet. A domain
 * that has much to do for each of its events by the common way may take a run of them at once; see
 * `take_run` in reader/domain.h. */
#ifndef PINSIGHT_READER_CTF_RUN_H
#define PINSIGHT_READER_CTF_RUN_H

#include "reader/ctf/event.h"

#include <stddef.h>

struct pinsight_record {
    uint64_t ns;    /* as in an event */
    uint32_t at;    /* its contexts and fields, from the run's bytes on */
    uint32_t class; /* its number among the classes of its stream */
};

/* Whose the events of a stream are, as its domain found at the last run of a packet. All zero is
 * not known. */
struct pinsight_run_owner {
    const unsigned char *packet;
    void *thread;
    uint64_t as_of; /* how often that had changed, whose events are whose */
};

struct pinsight_run {
    const struct pinsight_record *records;
    size_t count;       /* at least 1 */
    uint64_t before_ns; /* all but the first are to be taken only while they are earlier, */
    uint64_t ahead_ns;  /* or while they commute, are earlier than this, and make nothing new whose
                           number or place tells when it was made; 0 for none. See fences.h */
    const struct pinsight_binding *const *bindings; /* by class; NULL of one without events yet */
    const unsigned char *bytes;
    const struct pinsight_event *first; /* the first record, as an event */
    const bool *ended;                  /* none is to be taken after one that makes this true */
    struct pinsight_run_owner *owner;   /* of the stream */
};

#endif
