/* Events of libbabeltrace2 as the reader has them: their fields are copied into a record. */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_BIND_H
#define PINSIGHT_READER_CTF_BABELTRACE_BIND_H

#include "reader/ctf/bind.h"

#include <babeltrace2/babeltrace.h>

/* Where a context is. */
enum babeltrace_scope {
    BABELTRACE_COMMON,
    BABELTRACE_SPECIFIC,
    BABELTRACE_PACKET,
    BABELTRACE_NO_CONTEXT,
};

/* A class of events, and which of its members go where. */
struct babeltrace_class {
    const bt_event_class *event_class; /* with a reference */
    struct pinsight_binding *binding;  /* the bindings' */
    enum babeltrace_scope vpid_scope, vtid_scope;
    int16_t vpid, vtid;                         /* in their structures */
    int16_t members[PINSIGHT_EVENT_MAX_FIELDS]; /* of the payload, by the fields' numbers; or -1 */
};

struct babeltrace_classes {
    struct babeltrace_class **items;
    size_t count, capacity;
    struct babeltrace_class *cache[64]; /* by the address of the event class */
};

/* Numbers, and behind them the texts. */
struct babeltrace_record {
    unsigned char *bytes;
    size_t capacity;
    uint32_t bases[PINSIGHT_EVENT_MAX_FIELDS + 1];
};

/* The class of an event; new ones get a binding. */
const struct babeltrace_class *babeltrace_class_of(struct babeltrace_classes *classes,
                                                   struct pinsight_bindings *bindings,
                                                   const bt_event *event);

/* Copies an event's contexts and fields into a record, and sets what an event has of them. */
void babeltrace_record_event(struct babeltrace_record *record, const struct babeltrace_class *class,
                             const bt_event *event, struct pinsight_event *to);

void babeltrace_classes_clear(struct babeltrace_classes *classes);

#endif
