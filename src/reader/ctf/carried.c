/* The receiving end of carried events; see carried.h. */
#include "reader/ctf/carried.h"

#include "base/memory.h"
#include "reader/ctf/carried_form.h"

#include <stdlib.h>
#include <string.h>

/* The least room for received bytes. */
#define ROOM 65536
/* The most event classes of a trace, and the most warnings of a reading. */
#define MOST_CLASSES (UINT32_C(1) << 20)
#define MOST_WARNINGS 100000
/* The number of events between two calls of on_turn. */
#define EVENTS_A_TURN 65536

/* A complete frame. */
struct carried_frame {
    uint32_t kind;
    const unsigned char *body;
    size_t size;
};

unsigned char *ctf_carried_room(struct ctf_carried *carried, size_t *room) {
    if (carried->capacity - carried->used < ROOM) {
        carried->capacity = 2 * (carried->used + ROOM);
        carried->bytes = pinsight_realloc(carried->bytes, carried->capacity, 1);
    }
    *room = carried->capacity - carried->used;
    return carried->bytes + carried->used;
}

/* Copies the begin of a frame. Returns false if it is too short. */
static bool copy(const struct carried_frame *frame, void *to, size_t size) {
    if (frame->size < size)
        return false;
    memcpy(to, frame->body, size);
    return true;
}

static bool take_state(struct ctf_carried *carried, const struct carried_frame *frame) {
    struct pinsight_source_result *result = carried->result;
    struct ctf_carried_numbers numbers;

    if (!copy(frame, &numbers, sizeof(numbers)))
        return false;
    result->discarded_events = numbers.discarded_events;
    result->discarded_packets = numbers.discarded_packets;
    result->from_ns = numbers.from_ns;
    result->until_ns = numbers.until_ns;
    result->streams = numbers.streams;
    result->damaged_streams = numbers.damaged_streams;
    result->unclear_discards = numbers.unclear_discards != 0;
    result->damaged_metadata = numbers.damaged_metadata != 0;
    result->later_chunk = numbers.later_chunk != 0;
    return true;
}

static bool take_warning(struct ctf_carried *carried, const struct carried_frame *frame) {
    if (carried->result->warning_count >= MOST_WARNINGS)
        return false;
    pinsight_source_warn(carried->result, pinsight_memdup((const char *)frame->body, frame->size));
    return true;
}

static bool take_short(struct ctf_carried *carried, const struct carried_frame *frame) {
    struct pinsight_source_result *result = carried->result;
    struct ctf_carried_short came;

    if (!copy(frame, &came, sizeof(came)))
        return false;
    *PINSIGHT_ADD(result->short_processes, result->short_count, carried->short_capacity) =
        (struct pinsight_short_process){.pid = came.pid,
                                        .missing = came.missing,
                                        .instance = came.instance,
                                        .ended = came.ended != 0,
                                        .exact = came.exact != 0};
    return true;
}

/* Returns a text within a frame that ends with a zero byte, and moves *at behind it. Returns NULL
 * if there is none. */
static const char *next_text(const struct carried_frame *frame, size_t *at) {
    const char *text = (const char *)frame->body + *at;
    const char *end = *at < frame->size ? memchr(text, 0, frame->size - *at) : NULL;

    if (end)
        *at += (size_t)(end - text) + 1;
    return end ? text : NULL;
}

static struct pinsight_context_slot context_at(uint8_t there, uint8_t kind, size_t offset) {
    struct pinsight_context_slot context = {0};

    if (there) {
        context.scope = PINSIGHT_IN_EVENT;
        context.slot = (struct pinsight_slot){
            .offset = (uint32_t)offset,
            .there = true,
            .kind = kind == PINSIGHT_FIELD_SIGNED ? PINSIGHT_FIELD_SIGNED : PINSIGHT_FIELD_UNSIGNED,
        };
    }
    return context;
}

/* Sets the positions of the fields: numbers behind the head, and each text in a segment of its
 * own. */
static bool place_fields(struct pinsight_binding *binding, const struct ctf_carried_class *class) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    uint32_t offset = sizeof(struct ctf_carried_event);
    uint8_t segment = 0;

    for (size_t i = 0; i < desc->field_count; i++) {
        uint8_t kind = class->kinds[i];

        if (!kind)
            continue;
        if (kind - 1 == PINSIGHT_FIELD_STRING) {
            binding->fields[i] =
                (struct pinsight_slot){.segment = ++segment, .there = true, .kind = kind - 1};
        } else if (kind - 1 == PINSIGHT_FIELD_SIGNED || kind - 1 == PINSIGHT_FIELD_UNSIGNED) {
            binding->fields[i] =
                (struct pinsight_slot){.offset = offset, .there = true, .kind = kind - 1};
            offset += sizeof(uint64_t);
        } else {
            return false;
        }
    }
    return true;
}

static bool take_class(struct ctf_carried *carried, const struct carried_frame *frame) {
    struct ctf_carried_class class;
    size_t at = sizeof(class);
    const char *name, *host;
    struct pinsight_binding *binding;

    if (!copy(frame, &class, sizeof(class)) || class.number >= MOST_CLASSES ||
        !(name = next_text(frame, &at)) || !(host = next_text(frame, &at)))
        return false;
    carried->by_number = pinsight_reach(carried->by_number, class.number, &carried->binding_count,
                                        sizeof(struct pinsight_binding *));
    if (carried->by_number[class.number])
        return false;
    binding = pinsight_binding_new(&carried->bindings, name, strlen(name), host, strlen(host));
    binding->trace_vpid = class.trace_vpid;
    binding->has_clock = class.has_clock != 0;
    binding->clock = (struct pinsight_clock){.whole = class.whole,
                                             .fraction = class.fraction,
                                             .near = class.near,
                                             .base_ns = class.base_ns};
    binding->vpid =
        context_at(class.has_vpid, class.vpid_kind, offsetof(struct ctf_carried_event, vpid));
    binding->vtid =
        context_at(class.has_vtid, class.vtid_kind, offsetof(struct ctf_carried_event, vtid));
    carried->by_number[class.number] = binding;
    return place_fields(binding, &class);
}

/* Finds the begins of an event's texts. Returns false if fields are missing. */
static bool find_texts(const struct pinsight_binding *binding, const struct carried_frame *frame,
                       uint32_t *bases) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    size_t at = sizeof(struct ctf_carried_event);
    uint32_t texts = 0;

    for (size_t i = 0; i < desc->field_count; i++) {
        bool text = binding->fields[i].kind == PINSIGHT_FIELD_STRING;

        if (binding->fields[i].there && text)
            texts++;
        else if (binding->fields[i].there)
            at += sizeof(uint64_t);
    }
    if (at > frame->size)
        return false;
    bases[0] = 0;
    for (uint32_t i = 1; i <= texts; i++) {
        bases[i] = (uint32_t)at;
        if (!next_text(frame, &at))
            return false;
    }
    return at == frame->size;
}

/* Passes on an event. Sets *enough if it was the last. */
static bool take_event(struct ctf_carried *carried, const struct carried_frame *frame,
                       bool *enough) {
    const struct pinsight_source_options *options = carried->options;
    struct pinsight_source_result *result = carried->result;
    uint32_t bases[PINSIGHT_EVENT_MAX_FIELDS + 1];
    struct ctf_carried_event head;
    struct pinsight_event event = {.at = frame->body, .bases = bases};

    if (!copy(frame, &head, sizeof(head)) || head.class >= carried->binding_count ||
        !(event.binding = carried->by_number[head.class]) ||
        !find_texts(event.binding, frame, bases))
        return false;
    event.ns = head.ns;
    event.earlier = head.earlier != 0;
    event.partial = head.partial != 0;
    event.instance = head.instance;
    if (!event.earlier) {
        result->events++;
        result->known_events += event.binding->id != PINSIGHT_EVENT_UNKNOWN;
    }
    *enough = options->on_event(options->data, &event) != 0 || (options->ended && *options->ended);
    if (options->on_turn && result->events % EVENTS_A_TURN == 0)
        options->on_turn(options->data, result->events);
    return true;
}

static bool take_end(struct ctf_carried *carried, const struct carried_frame *frame) {
    struct ctf_carried_end last;

    if (!copy(frame, &last, sizeof(last)))
        return false;
    carried->rc = last.rc ? -1 : 0;
    if (last.rc)
        carried->result->error =
            pinsight_memdup((const char *)frame->body + sizeof(last), frame->size - sizeof(last));
    return true;
}

static enum ctf_carried_state take_frame(struct ctf_carried *carried,
                                         const struct carried_frame *frame) {
    bool enough = false, whole = false;

    switch (frame->kind) {
    case CTF_FRAME_STATE:
        whole = take_state(carried, frame);
        break;
    case CTF_FRAME_WARNING:
        whole = take_warning(carried, frame);
        break;
    case CTF_FRAME_SHORT:
        whole = take_short(carried, frame);
        break;
    case CTF_FRAME_CLASS:
        whole = take_class(carried, frame);
        break;
    case CTF_FRAME_EVENT:
        whole = take_event(carried, frame, &enough);
        break;
    case CTF_FRAME_END:
        return take_end(carried, frame) ? CTF_CARRIED_ENDED : CTF_CARRIED_BROKEN;
    }
    return !whole ? CTF_CARRIED_BROKEN : enough ? CTF_CARRIED_ENOUGH : CTF_CARRIED_MORE;
}

enum ctf_carried_state ctf_carried_take(struct ctf_carried *carried, size_t came) {
    enum ctf_carried_state state = CTF_CARRIED_MORE;
    struct ctf_frame_head head;
    size_t at = 0;

    carried->used += came;
    while (state == CTF_CARRIED_MORE && carried->used - at >= sizeof(head)) {
        struct carried_frame frame;

        memcpy(&head, carried->bytes + at, sizeof(head));
        if (head.size > CTF_FRAME_MOST)
            return CTF_CARRIED_BROKEN;
        if (carried->used - at - sizeof(head) < head.size)
            break;
        frame = (struct carried_frame){head.kind, carried->bytes + at + sizeof(head), head.size};
        state = take_frame(carried, &frame);
        at += sizeof(head) + head.size;
    }
    memmove(carried->bytes, carried->bytes + at, carried->used - at);
    carried->used -= at;
    return state;
}

void ctf_carried_clear(struct ctf_carried *carried) {
    pinsight_bindings_clear(&carried->bindings);
    free(carried->by_number);
    free(carried->bytes);
    *carried = (struct ctf_carried){0};
}
