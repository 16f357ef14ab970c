/* Copies events of libbabeltrace2 into records, in the reader's form. */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_BIND_H
#define PINSIGHT_READER_CTF_BABELTRACE_BIND_H

#include "reader/ctf/bind.h"

#include <babeltrace2/babeltrace.h>

/* The place of a context. */
enum babeltrace_scope {
    BABELTRACE_COMMON,
    BABELTRACE_SPECIFIC,
    BABELTRACE_PACKET,
    BABELTRACE_NO_CONTEXT,
};

/* A class of events, and the places of its members. */
struct babeltrace_class {
    const bt_event_class *event_class; /* owns a reference */
    struct pinsight_binding *binding;  /* owned by the bindings */
    enum babeltrace_scope vpid_scope, vtid_scope;
    int16_t vpid, vtid; /* index in its structure */
    /* index in the payload, by the fields' numbers; -1: none */
    int16_t members[PINSIGHT_EVENT_MAX_FIELDS];
};

struct babeltrace_classes {
    struct babeltrace_class **items;
    size_t count, capacity;
    struct babeltrace_class *cache[64]; /* by the address of the event class */
};

/* Numbers, followed by texts. */
struct babeltrace_record {
    unsigned char *bytes;
    size_t capacity;
    uint32_t bases[PINSIGHT_EVENT_MAX_FIELDS + 1];
};

/* Returns the class of an event. A new class gets a binding. */
const struct babeltrace_class *babeltrace_class_of(struct babeltrace_classes *classes,
                                                   struct pinsight_bindings *bindings,
                                                   const bt_event *event);

/* Copies an event's contexts and fields into a record, and sets the places in `to`. */
void babeltrace_record_event(struct babeltrace_record *record, const struct babeltrace_class *class,
                             const bt_event *event, struct pinsight_event *to);

void babeltrace_classes_clear(struct babeltrace_classes *classes);

#endif
