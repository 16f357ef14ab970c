/* What a process reads of a trace, as bytes for another process that takes it: the events with
 * their classes, the warnings, and what the reading came to. The process that takes them trusts no
 * byte, because damaged input may have spoilt the one that reads. Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_CARRIED_H
#define PINSIGHT_READER_CTF_CARRIED_H

#include "reader/ctf/bind.h"
#include "reader/ctf/source.h"

/* The end that reads the trace. All zero but for what is set before the first event. */
struct ctf_carrier {
    int fd; /* to write to; the caller's */
    const struct pinsight_source_result *result;
    unsigned char *bytes; /* events that are not written yet */
    size_t used, capacity;
    bool *sent; /* bindings, by number */
    size_t sent_count;
    size_t warned; /* warnings of the result that are written */
    bool failed;   /* nobody takes more */
};

/* Adds an event, and writes many at once. Returns 0, or -1 where nobody takes more. */
int ctf_carrier_add(struct ctf_carrier *carrier, const struct pinsight_event *event);

/* Writes what is left, and at last the result and what the reading returned. */
void ctf_carrier_end(struct ctf_carrier *carrier, int rc);

void ctf_carrier_clear(struct ctf_carrier *carrier);

enum ctf_carried_state {
    CTF_CARRIED_MORE,   /* more has to come */
    CTF_CARRIED_ENDED,  /* all came; rc is set */
    CTF_CARRIED_ENOUGH, /* the taker wants no more */
    CTF_CARRIED_BROKEN, /* it is not what a carrier writes */
};

/* The end that takes. All zero but for options and result, which are the caller's. */
struct ctf_carried {
    const struct pinsight_source_options *options;
    struct pinsight_source_result *result; /* gets events, warnings and all else */
    unsigned char *bytes;                  /* what came and is not taken yet */
    size_t used, capacity;
    struct pinsight_bindings bindings;
    struct pinsight_binding **by_number;
    size_t binding_count;
    size_t short_capacity;
    int rc; /* what the reading returned, with result->error */
};

/* Room for the next bytes that come: *room of them. */
unsigned char *ctf_carried_room(struct ctf_carried *carried, size_t *room);

/* Takes `came` bytes that were put there, and hands on their events. */
enum ctf_carried_state ctf_carried_take(struct ctf_carried *carried, size_t came);

void ctf_carried_clear(struct ctf_carried *carried);

#endif
