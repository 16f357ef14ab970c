/* One event of a trace, as the source hands it on, and how its fields are read.
 *
 * An event is bytes: its contexts and its fields, little-endian, each number at any address. They
 * are read where they stand in the mapped stream file. A text or a sequence ends a segment: what
 * stands behind it is found from where the next segment begins.
 *
 * A field is named by its number in the generated descriptions (PINSIGHT_<DOMAIN>_<EVENT>_<FIELD>)
 * and is read when asked for: what nobody asks for costs nothing. A field that the trace lacks, or
 * has as another kind, reads as 0 or as the empty string. */
#ifndef PINSIGHT_READER_CTF_EVENT_H
#define PINSIGHT_READER_CTF_EVENT_H

#include "reader/ctf/clock.h"
#include "reader/domain.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where a field is in an event of some class. All zero is nowhere. Eight bytes from its place on
 * can always be read. */
struct pinsight_slot {
    uint32_t offset; /* in its segment */
    uint8_t segment;
    bool there;
    uint8_t kind;  /* enum pinsight_field_kind, as the trace has it */
    uint8_t shift; /* of a number: how many bits it is short of 64 */
};

struct pinsight_account;

enum pinsight_scope { PINSIGHT_NOWHERE, PINSIGHT_IN_EVENT, PINSIGHT_IN_PACKET };

struct pinsight_context_slot {
    enum pinsight_scope scope;
    struct pinsight_slot slot;
};

/* What is known of an event class; worked out at its first event. */
struct pinsight_binding {
    uint32_t number; /* among the bindings of a reading */
    enum pinsight_event_id id;
    const struct reader_domain *domain; /* NULL of an unknown event */
    bool definition; /* of the channel of definitions: first among events of one time */
    bool has_clock;
    struct pinsight_clock clock;
    uint32_t host;                        /* a number for the host that the trace names */
    const struct pinsight_strings *hosts; /* the names of these numbers */
    int64_t trace_vpid;                   /* of a trace with a buffer per process, -1 otherwise */
    struct pinsight_context_slot vpid, vtid;
    bool in_runs;  /* its domain may take it in a run, see reader/ctf/run.h */
    bool commutes; /* likewise before earlier events of other streams that commute, too */
    struct pinsight_slot fields[PINSIGHT_EVENT_MAX_FIELDS];
};

struct pinsight_event {
    uint64_t ns; /* time since the clock's origin */
    const struct pinsight_binding *binding;
    const unsigned char *at;     /* its contexts, and then its fields */
    const uint32_t *bases;       /* where its segments begin, from `at` on */
    const unsigned char *packet; /* the packet that it is in; NULL where no slot is in packets */
    struct pinsight_account *account; /* of the process whose stream it is in; may be NULL */
    uint32_t instance; /* of the process among those of its pid, see instance.h; 0: not known */
    bool earlier;      /* a definition of an earlier chunk, for its names alone; ns is 0 */
    bool partial;      /* of a process of which the last part alone is there */
};

/* A number at a place in bytes. */
static inline int64_t pinsight_slot_integer(const unsigned char *at, struct pinsight_slot slot) {
    uint64_t value;

    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    value <<= slot.shift;
    if (slot.kind == PINSIGHT_FIELD_SIGNED)
        return (int64_t)value >> slot.shift;
    return (int64_t)(value >> slot.shift);
}

static inline const unsigned char *pinsight_slot_at(const struct pinsight_event *event,
                                                    struct pinsight_slot slot) {
    return event->at + event->bases[slot.segment] + slot.offset;
}

/* The value of an integer field; an unsigned one of 64 bits is to be cast back. */
static inline int64_t pinsight_event_integer(const struct pinsight_event *event, unsigned field) {
    struct pinsight_slot slot = event->binding->fields[field];

    if (!slot.there || slot.kind == PINSIGHT_FIELD_STRING)
        return 0;
    return pinsight_slot_integer(pinsight_slot_at(event, slot), slot);
}

/* The value of a field that is a time of the trace's clock, as events have theirs in the file: the
 * time since the clock's origin. 0 where there is none. */
static inline uint64_t pinsight_event_time(const struct pinsight_event *event, unsigned field) {
    uint64_t value = (uint64_t)pinsight_event_integer(event, field);

    if (!value || !event->binding->has_clock)
        return value;
    return pinsight_clock_ns(&event->binding->clock, value);
}

/* The value of a text field, any bytes ended by a zero; it lives as long as the event. */
static inline const char *pinsight_event_text(const struct pinsight_event *event, unsigned field) {
    struct pinsight_slot slot = event->binding->fields[field];

    if (!slot.there || slot.kind != PINSIGHT_FIELD_STRING)
        return "";
    return (const char *)pinsight_slot_at(event, slot);
}

static inline int64_t pinsight_context_integer(const struct pinsight_event *event,
                                               const struct pinsight_context_slot *context) {
    switch (context->scope) {
    case PINSIGHT_IN_EVENT:
        return pinsight_slot_integer(pinsight_slot_at(event, context->slot), context->slot);
    case PINSIGHT_IN_PACKET:
        return pinsight_slot_integer(event->packet + context->slot.offset, context->slot);
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
