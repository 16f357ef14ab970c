/* The layout of packets and events; see class.h. */
#include "reader/ctf/class.h"

#include "base/memory.h"
#include "reader/ctf/struct_layout.h"

#include <stdlib.h>
#include <string.h>

/* The most numbers of events. */
#define MOST_CLASSES 16384

/* ---- heads of packets ---- */

static bool has_name(const char *name, size_t length, const char *other) {
    return tsdl_is((struct tsdl_word){name, length}, other);
}

static bool is_unsigned(struct pinsight_slot slot) {
    return slot.there && slot.kind == PINSIGHT_FIELD_UNSIGNED;
}

static void found_in_packet(void *data, const struct tsdl_type *type, const char *name,
                            size_t length, struct pinsight_slot slot) {
    struct ctf_trace *trace = data;

    if (has_name(name, length, "magic") && is_unsigned(slot) && type->bits == 32)
        trace->magic = slot;
    else if (has_name(name, length, "stream_id") && is_unsigned(slot))
        trace->stream = slot;
    else if (has_name(name, length, "stream_instance_id") && is_unsigned(slot))
        trace->instance = slot;
    else if (has_name(name, length, "uuid") && type->kind == TSDL_ARRAY && type->count == 16) {
        trace->has_uuid = true;
        trace->uuid_at = slot.offset;
    }
}

struct finding_stream {
    struct ctf_stream_class *stream;
    bool times_are_others; /* the times are not of the trace's clock */
};

static void found_in_context(void *data, const struct tsdl_type *type, const char *name,
                             size_t length, struct pinsight_slot slot) {
    struct finding_stream *finding = data;
    struct ctf_stream_class *stream = finding->stream;
    const struct {
        const char *name;
        struct pinsight_slot *slot;
        bool is_clock;
    } known[] = {
        {"timestamp_begin", &stream->begin, true},
        {"timestamp_end", &stream->end, true},
        {"content_size", &stream->content, false},
        {"packet_size", &stream->packet, false},
        {"packet_seq_num", &stream->sequence, false},
        {"events_discarded", &stream->discarded, false},
    };

    if (slot.there && has_name(name, length, "vpid"))
        stream->vpid = slot;
    if (slot.there && has_name(name, length, "vtid"))
        stream->vtid = slot;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (is_unsigned(slot) && has_name(name, length, known[i].name)) {
            *known[i].slot = slot;
            /* An event's time continues from its packet's, which must have 64 bits. */
            finding->times_are_others |= known[i].is_clock && (!type->is_clock || type->bits != 64);
        }
}

static const char *make_packets(struct ctf_trace *trace, struct ctf_stream_class *stream,
                                uint32_t *members) {
    struct ctf_struct_walk walk = {.trace = trace, .known = UINT32_MAX, .members_left = members};
    struct finding_stream finding = {.stream = stream};

    if (!ctf_struct_walk_members(&walk, trace->tsdl.packet, found_in_packet, trace) ||
        !ctf_struct_walk_members(&walk, stream->stream->packet, found_in_context, &finding) ||
        walk.segment)
        return "heads of packets";
    stream->head_size = (uint32_t)walk.offset;
    if (!trace->magic.there || trace->magic.offset || !stream->content.there ||
        !stream->packet.there || (trace->has_uuid && !trace->tsdl.has_uuid))
        return "packets without a size";
    if (trace->has_clock && finding.times_are_others)
        return "packets without times";
    return NULL;
}

/* ---- heads of events ---- */

/* Returns whether a number has this number of bits, at any byte or at its natural address. */
static bool is_number(const struct tsdl_type *type, uint32_t bits, bool is_natural) {
    return type->kind == TSDL_INTEGER && !type->is_big && type->bits == bits &&
           type->align == (bits % 8     ? 1
                           : is_natural ? bits
                                        : 8);
}

/* Returns whether a variant's member is a structure of a number and a time with these numbers of
 * bits. */
static bool is_choice(const struct tsdl *tsdl, uint32_t variant, const char *name, uint32_t id,
                      uint32_t time, bool is_natural) {
    const struct tsdl_member *choice = tsdl_member(tsdl, variant, name);
    const struct tsdl_type *group = choice ? &tsdl->types[choice->type] : NULL;
    const struct tsdl_member *first, *last;

    if (!group || group->kind != TSDL_STRUCT || !group->first || (!is_natural && group->align > 8))
        return false;
    first = &tsdl->members[group->first];
    last = &tsdl->members[group->last];
    if ((id ? first->next != group->last : group->first != group->last) ||
        (id &&
         (!is_number(&tsdl->types[first->type], id, is_natural) || !tsdl_is(first->name, "id"))))
        return false;
    return is_number(&tsdl->types[last->type], time, is_natural) &&
           tsdl->types[last->type].is_clock;
}

/* Returns whether a head is one of LTTng's two. Its number has `bits` bits, and its last value
 * announces the longer form. */
static bool is_lttng_head(const struct tsdl *tsdl, uint32_t head, uint32_t bits, uint32_t time,
                          bool is_natural) {
    const struct tsdl_type *group = &tsdl->types[head];
    const struct tsdl_member *tag = &tsdl->members[group->first];
    const struct tsdl_member *rest = &tsdl->members[group->last];
    const struct tsdl_type *number = &tsdl->types[tag->type];
    const struct tsdl_type *variant = &tsdl->types[rest->type];
    uint64_t most = (UINT64_C(1) << bits) - 1;
    const struct tsdl_member *compact = &tsdl->members[number->first];
    const struct tsdl_member *extended = &tsdl->members[number->last];

    return tag->next == group->last && number->is_enum && !number->is_signed &&
           is_number(number, bits, is_natural) &&
           (is_natural ? group->align == (bits % 8 ? 32 : bits) : group->align <= 8) &&
           tsdl_is(tag->name, "id") && compact->next == number->last &&
           tsdl_is(compact->name, "compact") && compact->low == 0 && compact->high == most - 1 &&
           tsdl_is(extended->name, "extended") && extended->low == most && extended->high == most &&
           variant->kind == TSDL_VARIANT && tsdl_is(variant->name, "id") &&
           is_choice(tsdl, rest->type, "compact", 0, time, is_natural) &&
           is_choice(tsdl, rest->type, "extended", 32, 64, is_natural);
}

static void found_in_head(void *data, const struct tsdl_type *type, const char *name, size_t length,
                          struct pinsight_slot slot) {
    struct ctf_stream_class *stream = data;

    if (is_unsigned(slot) && type->is_clock)
        stream->plain_time = slot;
    else if (is_unsigned(slot) && has_name(name, length, "id"))
        stream->plain_id = slot;
}

static const char *make_head(struct ctf_trace *trace, struct ctf_stream_class *stream,
                             uint32_t *members) {
    const struct tsdl *tsdl = &trace->tsdl;
    struct ctf_struct_walk walk = {.trace = trace, .members_left = members};
    uint32_t head = stream->stream->header;

    if (!head || tsdl->types[head].kind != TSDL_STRUCT)
        return "events without heads";
    if (is_lttng_head(tsdl, head, 5, 27, false)) {
        stream->head = CTF_COMPACT;
    } else if (is_lttng_head(tsdl, head, 16, 32, false)) {
        stream->head = CTF_LARGE;
    } else if (is_lttng_head(tsdl, head, 5, 27, true)) {
        stream->head = CTF_NATURAL_COMPACT;
    } else if (is_lttng_head(tsdl, head, 16, 32, true)) {
        stream->head = CTF_NATURAL_LARGE;
    } else {
        stream->head = CTF_PLAIN;
        if (!ctf_struct_walk_members(&walk, head, found_in_head, stream) || walk.segment ||
            !stream->plain_id.there)
            return "heads of events";
        stream->plain_size = (uint32_t)walk.offset;
    }
    return NULL;
}

/* ---- events ---- */

static bool lay_event(struct ctf_struct_walk *walk, const struct ctf_stream_class *stream,
                      const struct tsdl_event *event, ctf_found_member *found[3], void *data) {
    return ctf_struct_walk_members(walk, stream->stream->context, found[0], data) &&
           ctf_struct_walk_members(walk, event->context, found[1], data) &&
           ctf_struct_walk_members(walk, event->fields, found[2], data);
}

/* Notes the first part of a trace that is not read. */
static void note(const char **first, const char *what) {
    if (!*first)
        *first = what;
}

static void make_event(struct ctf_trace *trace, const struct tsdl_event *event, uint32_t *members) {
    struct ctf_stream_class *stream = ctf_stream_class_of(trace, event->stream);
    struct ctf_struct_walk walk = {.trace = trace, .keeps_steps = true, .members_left = members};
    ctf_found_member *found[3] = {0};
    size_t first = trace->step_count, first_choice = trace->choice_count;
    struct ctf_class *class;

    if (!stream || event->id >= MOST_CLASSES || !event->name.at) {
        note(stream || !trace->unread ? &trace->damage : &trace->unread, "an event's number");
        return;
    }
    stream->classes =
        pinsight_reach(stream->classes, event->id, &stream->class_count, sizeof(*stream->classes));
    class = &stream->classes[event->id];
    if (class->event || class->unread) {
        note(&trace->damage, "two events with one number");
        return;
    }
    if (!lay_event(&walk, stream, event, found, NULL)) {
        note(&trace->unread, "an event's fields");
        class->unread = event;
        trace->step_count = first;
        trace->choice_count = first_choice;
        return;
    }
    class->event = event;
    class->size = (uint32_t)walk.offset;
    class->step_count = (uint32_t)(trace->step_count - first);
}

/* Sets the steps of all events, in the order of the events, when the array has its final
 * address. */
static void place_steps(struct ctf_trace *trace) {
    const struct ctf_step *at = trace->steps;

    for (size_t i = 0; i < trace->tsdl.event_count; i++) {
        const struct tsdl_event *event = &trace->tsdl.events[i];
        struct ctf_stream_class *stream = ctf_stream_class_of(trace, event->stream);
        struct ctf_class *class =
            stream && event->id < stream->class_count ? &stream->classes[event->id] : NULL;

        if (!class || class->event != event || !class->step_count)
            continue;
        class->steps = at;
        at += class->step_count;
    }
}

static void make_stream(struct ctf_trace *trace, const struct tsdl_stream *described,
                        uint32_t *members) {
    struct ctf_stream_class *stream = &trace->streams[trace->stream_count];
    const char *refused;

    if (ctf_stream_class_of(trace, described->id)) {
        note(&trace->damage, "two streams with one number");
        return;
    }
    *stream = (struct ctf_stream_class){.stream = described};
    refused = make_packets(trace, stream, members);
    if (!refused)
        refused = make_head(trace, stream, members);
    if (refused)
        note(&trace->unread, refused);
    else
        trace->stream_count++;
}

const char *ctf_trace_make(struct ctf_trace *trace, char *text) {
    struct tsdl *tsdl = &trace->tsdl;
    uint32_t members = CTF_MOST_MEMBERS;

    *trace = (struct ctf_trace){.text = text};
    trace->damage = tsdl_read(tsdl, text);
    if (!tsdl->little_endian || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return trace->damage ? trace->damage : "another order of bytes";
    trace->has_clock = tsdl->has_clock;
    if (tsdl->has_clock)
        pinsight_clock_set(&trace->clock, tsdl->frequency, tsdl->offset_s, tsdl->offset);
    trace->streams = pinsight_calloc(tsdl->stream_count, sizeof(*trace->streams));
    for (size_t i = 0; i < tsdl->stream_count; i++)
        make_stream(trace, &tsdl->streams[i], &members);
    for (size_t i = 0; i < tsdl->event_count; i++)
        make_event(trace, &tsdl->events[i], &members);
    if (!trace->stream_count && (trace->unread || trace->damage))
        return trace->unread ? trace->unread : trace->damage;
    place_steps(trace);
    for (size_t i = 0; i < trace->stream_count; i++)
        trace->streams[i].bindings =
            pinsight_calloc(trace->streams[i].class_count, sizeof(*trace->streams[i].bindings));
    return NULL;
}

void ctf_trace_clear(struct ctf_trace *trace) {
    for (size_t i = 0; i < trace->stream_count; i++) {
        free(trace->streams[i].classes);
        free(trace->streams[i].bindings);
    }
    free(trace->streams);
    free(trace->steps);
    free(trace->choices);
    free(trace->points);
    tsdl_clear(&trace->tsdl);
    free(trace->text);
    *trace = (struct ctf_trace){0};
}

struct ctf_stream_class *ctf_stream_class_of(const struct ctf_trace *trace, uint64_t number) {
    for (size_t i = 0; i < trace->stream_count; i++)
        if (trace->streams[i].stream->id == number)
            return &trace->streams[i];
    return NULL;
}

static void found_context(struct pinsight_context_slot *context, enum pinsight_scope scope,
                          struct pinsight_slot slot) {
    if (context->scope == PINSIGHT_NOWHERE && slot.there && slot.kind != PINSIGHT_FIELD_STRING)
        *context = (struct pinsight_context_slot){scope, slot};
}

static void found_in_contexts(void *data, const struct tsdl_type *type, const char *name,
                              size_t length, struct pinsight_slot slot) {
    struct pinsight_binding *binding = data;

    (void)type;
    if (has_name(name, length, "vpid"))
        found_context(&binding->vpid, PINSIGHT_IN_EVENT, slot);
    else if (has_name(name, length, "vtid"))
        found_context(&binding->vtid, PINSIGHT_IN_EVENT, slot);
}

static void found_field(void *data, const struct tsdl_type *type, const char *name, size_t length,
                        struct pinsight_slot slot) {
    struct pinsight_binding *binding = data;
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];

    (void)type;
    for (size_t i = 0; i < desc->field_count && slot.there; i++)
        if (!binding->fields[i].there && has_name(name, length, desc->fields[i].name))
            binding->fields[i] = slot;
}

void ctf_class_bind(const struct ctf_trace *trace, const struct ctf_stream_class *stream,
                    size_t number, struct pinsight_bindings *bindings) {
    static ctf_found_member *const found[3] = {found_in_contexts, found_in_contexts, found_field};
    const struct tsdl *tsdl = &trace->tsdl;
    const struct ctf_class *class = &stream->classes[number];
    uint32_t members = CTF_MOST_MEMBERS;
    struct ctf_struct_walk walk = {.trace = (struct ctf_trace *)trace, .members_left = &members};
    struct pinsight_binding *binding =
        pinsight_binding_new(bindings, class->event->name.at, class->event->name.length,
                             tsdl->hostname.at ? tsdl->hostname.at : "", tsdl->hostname.length);

    binding->has_clock = trace->has_clock;
    binding->clock = trace->clock;
    binding->trace_vpid = tsdl->vpid;
    lay_event(&walk, stream, class->event, (ctf_found_member **)found, binding);
    found_context(&binding->vpid, PINSIGHT_IN_PACKET, stream->vpid);
    found_context(&binding->vtid, PINSIGHT_IN_PACKET, stream->vtid);
    if (binding->domain && binding->domain->bind)
        binding->domain->bind(binding, !class->step_count);
    stream->bindings[number] = binding;
}
