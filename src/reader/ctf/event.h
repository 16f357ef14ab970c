/* One event of a trace, as the source hands it on, and how its fields are read.
 *
 * A field is named by its number in the generated descriptions (PINSIGHT_<DOMAIN>_<EVENT>_<FIELD>)
 * and is read when asked for: what nobody asks for costs nothing. A field that the trace lacks, or
 * has as another kind, reads as 0 or as the empty string. */
#ifndef PINSIGHT_READER_CTF_EVENT_H
#define PINSIGHT_READER_CTF_EVENT_H

#include "reader/domain.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a field is in an event class of a trace. */
struct pinsight_slot {
    int16_t index; /* in the structure, -1 where the trace has none */
    uint8_t kind;  /* enum pinsight_field_kind, as the trace has it */
};

enum pinsight_scope { PINSIGHT_NOWHERE, PINSIGHT_COMMON_CONTEXT, PINSIGHT_SPECIFIC_CONTEXT };

struct pinsight_context_slot {
    enum pinsight_scope scope;
    struct pinsight_slot slot;
};

/* What is known of an event class; worked out at its first event. */
struct pinsight_binding {
    const bt_event_class *event_class; /* with a reference */
    enum pinsight_event_id id;
    const struct reader_domain *domain; /* NULL of an unknown event */
    bool definition; /* of the channel of definitions: first among events of one time */
    bool has_clock;
    const bt_clock_class *clock; /* with the event class */
    uint32_t host;               /* a number for the host that the trace names */
    int64_t trace_vpid;          /* of a trace with a buffer per process, -1 otherwise */
    struct pinsight_context_slot vpid, vtid;
    struct pinsight_slot fields[PINSIGHT_EVENT_MAX_FIELDS];
};

struct pinsight_event {
    uint64_t ns; /* time since the clock's origin */
    const struct pinsight_binding *binding;
    const bt_event *event;
    const bt_field *payload; /* NULL where the event has none */
    bool earlier;            /* a definition of an earlier chunk, for its names alone; ns is 0 */
};

static inline int64_t pinsight_slot_integer(const bt_field *structure, struct pinsight_slot slot) {
    const bt_field *field =
        bt_field_structure_borrow_member_field_by_index_const(structure, (uint64_t)slot.index);

    switch (slot.kind) {
    case PINSIGHT_FIELD_UNSIGNED:
        return (int64_t)bt_field_integer_unsigned_get_value(field);
    case PINSIGHT_FIELD_SIGNED:
        return bt_field_integer_signed_get_value(field);
    default:
        return 0;
    }
}

/* The value of an integer field; an unsigned one of 64 bits is to be cast back. */
static inline int64_t pinsight_event_integer(const struct pinsight_event *event, unsigned field) {
    struct pinsight_slot slot = event->binding->fields[field];

    return slot.index < 0 ? 0 : pinsight_slot_integer(event->payload, slot);
}

/* The value of a field that is a time of the trace's clock, as events have theirs in the file: the
 * time since the clock's origin. 0 where there is none. */
static inline uint64_t pinsight_event_time(const struct pinsight_event *event, unsigned field) {
    uint64_t value = (uint64_t)pinsight_event_integer(event, field);
    const bt_clock_class *clock = event->binding->clock;
    int64_t seconds, ns;
    uint64_t cycles;

    if (!value || !clock)
        return value;
    bt_clock_class_get_offset(clock, &seconds, &cycles);
    if (bt_util_clock_cycles_to_ns_from_origin(value, bt_clock_class_get_frequency(clock), seconds,
                                               cycles, &ns) !=
            BT_UTIL_CLOCK_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK ||
        ns < 0)
        return 0;
    return (uint64_t)ns;
}

/* The value of a text field, any bytes ended by a zero; it lives as long as the event. */
static inline const char *pinsight_event_text(const struct pinsight_event *event, unsigned field) {
    struct pinsight_slot slot = event->binding->fields[field];

    const bt_field *text;

    if (slot.index < 0 || slot.kind != PINSIGHT_FIELD_STRING)
        return "";
    text =
        bt_field_structure_borrow_member_field_by_index_const(event->payload, (uint64_t)slot.index);
    /* An empty string's value may be what the field held before. */
    return bt_field_string_get_length(text) ? bt_field_string_get_value(text) : "";
}

static inline int64_t pinsight_context_integer(const struct pinsight_event *event,
                                               const struct pinsight_context_slot *slot) {
    switch (slot->scope) {
    case PINSIGHT_COMMON_CONTEXT:
        return pinsight_slot_integer(bt_event_borrow_common_context_field_const(event->event),
                                     slot->slot);
    case PINSIGHT_SPECIFIC_CONTEXT:
        return pinsight_slot_integer(bt_event_borrow_specific_context_field_const(event->event),
                                     slot->slot);
    default:
        return -1;
    }
}

/* The process and the OS thread that an event was recorded in, -1 where the trace does not say. */
static inline int64_t pinsight_event_vpid(const struct pinsight_event *event) {
    return event->binding->vpid.scope == PINSIGHT_NOWHERE
               ? event->binding->trace_vpid
               : pinsight_context_integer(event, &event->binding->vpid);
}

static inline int64_t pinsight_event_vtid(const struct pinsight_event *event) {
    return pinsight_context_integer(event, &event->binding->vtid);
}

#endif
