/*
 * How the events of a domain reach the recorder that is in force: a table of functions for each
 * domain (record/<domain>.h), which the generators write once for each recorder.
 */
#ifndef PINSIGHT_RECORD_TABLE_H
#define PINSIGHT_RECORD_TABLE_H

#include "pinsight/pinsight.h"

/* What links a domain's object to a recorder; generated, static in the object. */
struct pinsight_record_link {
    const char *domain;    /* as the table of events is called */
    const void *file;      /* the file recorder's table */
    const void **in_force; /* pinsight_record_<domain> */
};

/* Gives a domain the table of the recorder in force. Once for each object that records, before its
 * first event. Returns 0; or -1 where the recorder has none, which is said: the domain's events are
 * not recorded. Any thread. */
PINSIGHT_API int pinsight_recorder_link(const struct pinsight_record_link *link);

/* With the number of an event: it is of another thread than the one that records it. */
#define PINSIGHT_OF_ANOTHER 0x10000u

/* What an event takes in a trace beside its fields, in bytes, about. */
#define PINSIGHT_EVENT_HEAD_BYTES 14

/* Does somebody listen to an event, as its entry in a table says? */
#define PINSIGHT_RECORD_LISTENED(entry) (__atomic_load_n((entry), __ATOMIC_RELAXED) != 0)

#endif
