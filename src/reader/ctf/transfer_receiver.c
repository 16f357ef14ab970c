/* The receiving end of a transfer; see transfer.h. */
#include "reader/ctf/transfer.h"

#include "base/memory.h"
#include "reader/ctf/transfer_form.h"

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
struct transfer_frame {
    uint32_t kind;
    const unsigned char *body;
    size_t size;
};

unsigned char *ctf_receiver_room(struct ctf_receiver *receiver, size_t *room) {
    if (receiver->capacity - receiver->used < ROOM) {
        receiver->capacity = 2 * (receiver->used + ROOM);
        receiver->bytes = pinsight_realloc(receiver->bytes, receiver->capacity, 1);
    }
    *room = receiver->capacity - receiver->used;
    return receiver->bytes + receiver->used;
}

/* Copies the begin of a frame. Returns false if it is too short. */
static bool copy(const struct transfer_frame *frame, void *to, size_t size) {
    if (frame->size < size)
        return false;
    memcpy(to, frame->body, size);
    return true;
}

static bool take_state(struct ctf_receiver *receiver, const struct transfer_frame *frame) {
    struct pinsight_source_result *result = receiver->result;
    struct ctf_transfer_numbers numbers;

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

static bool take_warning(struct ctf_receiver *receiver, const struct transfer_frame *frame) {
    if (receiver->result->warning_count >= MOST_WARNINGS)
        return false;
    pinsight_source_warn(receiver->result, pinsight_memdup((const char *)frame->body, frame->size));
    return true;
}

static bool take_short(struct ctf_receiver *receiver, const struct transfer_frame *frame) {
    struct pinsight_source_result *result = receiver->result;
    struct ctf_transfer_short came;

    if (!copy(frame, &came, sizeof(came)))
        return false;
    *PINSIGHT_ADD(result->short_processes, result->short_count, receiver->short_capacity) =
        (struct pinsight_short_process){.pid = came.pid,
                                        .missing = came.missing,
                                        .instance = came.instance,
                                        .ended = came.ended != 0,
                                        .exact = came.exact != 0};
    return true;
}

/* Returns a text within a frame that ends with a zero byte, and moves *at behind it. Returns NULL
 * if there is none. */
static const char *next_text(const struct transfer_frame *frame, size_t *at) {
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
static bool place_fields(struct pinsight_binding *binding, const struct ctf_transfer_class *class) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    uint32_t offset = sizeof(struct ctf_transfer_event);
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

static bool take_class(struct ctf_receiver *receiver, const struct transfer_frame *frame) {
    struct ctf_transfer_class class;
    size_t at = sizeof(class);
    const char *name, *host;
    struct pinsight_binding *binding;

    if (!copy(frame, &class, sizeof(class)) || class.number >= MOST_CLASSES ||
        !(name = next_text(frame, &at)) || !(host = next_text(frame, &at)))
        return false;
    receiver->by_number =
        pinsight_reach(receiver->by_number, class.number, &receiver->binding_count,
                       sizeof(struct pinsight_binding *));
    if (receiver->by_number[class.number])
        return false;
    binding = pinsight_binding_new(&receiver->bindings, name, strlen(name), host, strlen(host));
    binding->trace_vpid = class.trace_vpid;
    binding->has_clock = class.has_clock != 0;
    binding->clock = (struct pinsight_clock){.whole = class.whole,
                                             .fraction = class.fraction,
                                             .near = class.near,
                                             .base_ns = class.base_ns};
    binding->vpid =
        context_at(class.has_vpid, class.vpid_kind, offsetof(struct ctf_transfer_event, vpid));
    binding->vtid =
        context_at(class.has_vtid, class.vtid_kind, offsetof(struct ctf_transfer_event, vtid));
    receiver->by_number[class.number] = binding;
    return place_fields(binding, &class);
}

/* Finds the begins of an event's texts. Returns false if fields are missing. */
static bool find_texts(const struct pinsight_binding *binding, const struct transfer_frame *frame,
                       uint32_t *bases) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    size_t at = sizeof(struct ctf_transfer_event);
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
static bool take_event(struct ctf_receiver *receiver, const struct transfer_frame *frame,
                       bool *enough) {
    const struct pinsight_source_options *options = receiver->options;
    struct pinsight_source_result *result = receiver->result;
    uint32_t bases[PINSIGHT_EVENT_MAX_FIELDS + 1];
    struct ctf_transfer_event head;
    struct pinsight_event event = {.at = frame->body, .bases = bases};

    if (!copy(frame, &head, sizeof(head)) || head.class >= receiver->binding_count ||
        !(event.binding = receiver->by_number[head.class]) ||
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

static bool take_end(struct ctf_receiver *receiver, const struct transfer_frame *frame) {
    struct ctf_transfer_end last;

    if (!copy(frame, &last, sizeof(last)))
        return false;
    receiver->rc = last.rc ? -1 : 0;
    if (last.rc)
        receiver->result->error =
            pinsight_memdup((const char *)frame->body + sizeof(last), frame->size - sizeof(last));
    return true;
}

static enum ctf_transfer_state take_frame(struct ctf_receiver *receiver,
                                          const struct transfer_frame *frame) {
    bool enough = false, whole = false;

    switch (frame->kind) {
    case CTF_FRAME_STATE:
        whole = take_state(receiver, frame);
        break;
    case CTF_FRAME_WARNING:
        whole = take_warning(receiver, frame);
        break;
    case CTF_FRAME_SHORT:
        whole = take_short(receiver, frame);
        break;
    case CTF_FRAME_CLASS:
        whole = take_class(receiver, frame);
        break;
    case CTF_FRAME_EVENT:
        whole = take_event(receiver, frame, &enough);
        break;
    case CTF_FRAME_END:
        return take_end(receiver, frame) ? CTF_TRANSFER_ENDED : CTF_TRANSFER_BROKEN;
    }
    return !whole ? CTF_TRANSFER_BROKEN : enough ? CTF_TRANSFER_ENOUGH : CTF_TRANSFER_MORE;
}

enum ctf_transfer_state ctf_receiver_take(struct ctf_receiver *receiver, size_t came) {
    enum ctf_transfer_state state = CTF_TRANSFER_MORE;
    struct ctf_frame_head head;
    size_t at = 0;

    receiver->used += came;
    while (state == CTF_TRANSFER_MORE && receiver->used - at >= sizeof(head)) {
        struct transfer_frame frame;

        memcpy(&head, receiver->bytes + at, sizeof(head));
        if (head.size > CTF_FRAME_MOST)
            return CTF_TRANSFER_BROKEN;
        if (receiver->used - at - sizeof(head) < head.size)
            break;
        frame = (struct transfer_frame){head.kind, receiver->bytes + at + sizeof(head), head.size};
        state = take_frame(receiver, &frame);
        at += sizeof(head) + head.size;
    }
    memmove(receiver->bytes, receiver->bytes + at, receiver->used - at);
    receiver->used -= at;
    return state;
}

void ctf_receiver_clear(struct ctf_receiver *receiver) {
    pinsight_bindings_clear(&receiver->bindings);
    free(receiver->by_number);
    free(receiver->bytes);
    *receiver = (struct ctf_receiver){0};
}
