/*
 * The connection between the events of a domain and the recorder in force: a table of functions for
 * each domain (tracer/record/<domain>.h). The generators write one for each recorder.
 */
#ifndef PINSIGHT_RECORD_TABLE_H
#define PINSIGHT_RECORD_TABLE_H

#include "pinsight/pinsight.h"

/* The link of a domain's object to a recorder; generated, static in the object. */
struct pinsight_record_link {
    const char *domain;    /* its name in the table of events */
    const void *file;      /* the file recorder's table */
    const void **in_force; /* the address of pinsight_record_<domain> */
};

/* Gives a domain the table of the recorder in force. Called once for each object that records,
 * before its first event. Returns 0, or -1 after a message if the recorder has no table; the
 * domain's events are then not recorded. Any thread. */
PINSIGHT_API int pinsight_recorder_link(const struct pinsight_record_link *link);

/* A flag for the number of an event: another thread than the calling one caused it. */
#define PINSIGHT_OF_ANOTHER 0x10000u

/* The approximate bytes of an event in a trace besides its fields. */
#define PINSIGHT_EVENT_HEAD_BYTES 14

/* Whether an event has a listener, by its entry in a table. */
#define PINSIGHT_RECORD_LISTENED(entry) (__atomic_load_n((entry), __ATOMIC_RELAXED) != 0)

#endif
