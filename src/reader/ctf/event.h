/*
 * An event of a trace, as the source passes it on, and access to its fields.
 *
 * An event is bytes: its contexts and its fields, little-endian, each number at any address. They
 * are read in place, in the mapped stream file. A text or a sequence ends a segment. The position
 * of the next segment is found when the event is decoded.
 *
 * A field has its number in the generated descriptions (PINSIGHT_<DOMAIN>_<EVENT>_<FIELD>). It is
 * read on request, so that unused fields cost nothing. A field that the trace lacks, or has as
 * another kind, reads as 0 or as the empty string.
 */
#ifndef PINSIGHT_READER_CTF_EVENT_H
#define PINSIGHT_READER_CTF_EVENT_H

#include "reader/ctf/clock.h"
#include "reader/domain.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The position of a field in the events of a class. An all-zero slot means none. Eight bytes from
 * its position on can always be read. */
struct pinsight_slot {
    uint32_t offset; /* in its segment */
    uint8_t segment;
    bool there;
    uint8_t kind;  /* enum pinsight_field_kind in the trace */
    uint8_t shift; /* of a number: 64 less its number of bits */
};

struct pinsight_account;

enum pinsight_scope { PINSIGHT_NOWHERE, PINSIGHT_IN_EVENT, PINSIGHT_IN_PACKET };

struct pinsight_context_slot {
    enum pinsight_scope scope;
    struct pinsight_slot slot;
};

/* The known properties of an event class; made at its first event. */
struct pinsight_binding {
    uint32_t number; /* among the bindings of a reading */
    enum pinsight_event_id id;
    const struct reader_domain *domain; /* NULL for an unknown event */
    bool definition; /* in the channel of definitions: first among events of one time */
    bool has_clock;
    struct pinsight_clock clock;
    uint32_t host;                        /* a number of the host that the trace names */
    const struct pinsight_strings *hosts; /* the names of the hosts' numbers */
    int64_t trace_vpid;                   /* of a trace with buffers per process, else -1 */
    struct pinsight_context_slot vpid, vtid;
    bool in_runs;  /* its domain may take it in a run; see reader/ctf/run.h */
    bool commutes; /* also before earlier events of other streams that commute */
    struct pinsight_slot fields[PINSIGHT_EVENT_MAX_FIELDS];
};

struct pinsight_event {
    uint64_t ns; /* time since the clock's origin */
    const struct pinsight_binding *binding;
    const unsigned char *at;          /* its contexts, and then its fields */
    const uint32_t *bases;            /* positions of its segments, from `at` on */
    const unsigned char *packet;      /* its packet; NULL if no slot is in packets */
    struct pinsight_account *account; /* of the process of its stream; may be NULL */
    uint32_t instance; /* the process among those with its pid, see instance.h; 0: unknown */
    bool earlier;      /* a definition of an earlier chunk, for its names alone; ns is 0 */
    bool partial;      /* only the last part of its process was kept */
};

/* Reads a number in bytes. */
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

/* Returns the value of an integer field. An unsigned one of 64 bits must be cast. */
static inline int64_t pinsight_event_integer(const struct pinsight_event *event, unsigned field) {
    struct pinsight_slot slot = event->binding->fields[field];

    if (!slot.there || slot.kind == PINSIGHT_FIELD_STRING)
        return 0;
    return pinsight_slot_integer(pinsight_slot_at(event, slot), slot);
}

/* Returns the value of a field with a floating-point number of 64 bits. */
static inline double pinsight_event_real(const struct pinsight_event *event, unsigned field) {
    struct pinsight_slot slot = event->binding->fields[field];
    int64_t bits;
    double value = 0;

    if (!slot.there || slot.kind != PINSIGHT_FIELD_REAL || slot.shift)
        return 0;
    bits = pinsight_slot_integer(pinsight_slot_at(event, slot), slot);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns a field with a time of the trace's clock, as the time since the clock's origin; 0 without
 * one. */
static inline uint64_t pinsight_event_time(const struct pinsight_event *event, unsigned field) {
    uint64_t value = (uint64_t)pinsight_event_integer(event, field);

    if (!value || !event->binding->has_clock)
        return value;
    return pinsight_clock_ns(&event->binding->clock, value);
}

/* Returns the value of a text field: any bytes, ended by a zero byte. Valid as long as the
 * event. */
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

/* Return the process and the OS thread that recorded an event; -1 if the trace does not have
 * them. */
static inline int64_t pinsight_event_vpid(const struct pinsight_event *event) {
    return event->binding->vpid.scope == PINSIGHT_NOWHERE
               ? event->binding->trace_vpid
               : pinsight_context_integer(event, &event->binding->vpid);
}

static inline int64_t pinsight_event_vtid(const struct pinsight_event *event) {
    return pinsight_context_integer(event, &event->binding->vtid);
}

#endif
