/* The sending end of a transfer; see transfer.h. */
#include "base/memory.h"
#include "reader/ctf/transfer.h"
#include "reader/ctf/transfer_form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of bytes that are written at once. */
#define BATCH 65536

static unsigned char *reserve(struct ctf_sender *sender, size_t size) {
    if (sender->capacity - sender->used < size) {
        sender->capacity = 2 * (sender->used + size);
        sender->bytes = pinsight_realloc(sender->bytes, sender->capacity, 1);
    }
    return sender->bytes + sender->used;
}

static void put(struct ctf_sender *sender, const void *bytes, size_t size) {
    memcpy(reserve(sender, size), bytes, size);
    sender->used += size;
}

/* Begins a frame. Returns its position. */
static size_t begin(struct ctf_sender *sender, enum ctf_frame kind, const void *body, size_t size) {
    const struct ctf_frame_head head = {.kind = kind};
    size_t at = sender->used;

    put(sender, &head, sizeof(head));
    put(sender, body, size);
    return at;
}

static void end(struct ctf_sender *sender, size_t at) {
    uint32_t size = (uint32_t)(sender->used - at - sizeof(struct ctf_frame_head));

    memcpy(sender->bytes + at + offsetof(struct ctf_frame_head, size), &size, sizeof(size));
}

static void put_number(struct ctf_sender *sender, int64_t number) {
    uint64_t value = (uint64_t)number;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    put(sender, &value, sizeof(value));
}

static void write_all(struct ctf_sender *sender) {
    size_t done = 0;

    while (!sender->failed && done < sender->used) {
        ssize_t wrote = write(sender->fd, sender->bytes + done, sender->used - done);

        if (wrote > 0)
            done += (size_t)wrote;
        else
            sender->failed = wrote == 0 || errno != EINTR;
    }
    sender->used = 0;
}

/* Adds the present numbers of the result. */
static void put_state(struct ctf_sender *sender) {
    const struct pinsight_source_result *result = sender->result;
    const struct ctf_transfer_numbers numbers = {
        .discarded_events = result->discarded_events,
        .discarded_packets = result->discarded_packets,
        .from_ns = result->from_ns,
        .until_ns = result->until_ns,
        .streams = result->streams,
        .damaged_streams = result->damaged_streams,
        .unclear_discards = result->unclear_discards,
        .damaged_metadata = result->damaged_metadata,
        .later_chunk = result->later_chunk,
    };

    end(sender, begin(sender, CTF_FRAME_STATE, &numbers, sizeof(numbers)));
    for (; sender->warned < result->warning_count; sender->warned++) {
        const char *text = result->warnings[sender->warned];

        end(sender, begin(sender, CTF_FRAME_WARNING, text, strlen(text)));
    }
}

static void put_class(struct ctf_sender *sender, const struct pinsight_binding *binding) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    const char *host = pinsight_strings_text(binding->hosts, binding->host);
    const char *name = desc->full_name ? desc->full_name : "";
    struct ctf_transfer_class class = {
        .whole = binding->clock.whole,
        .fraction = binding->clock.fraction,
        .near = binding->clock.near,
        .base_ns = binding->clock.base_ns,
        .trace_vpid = binding->trace_vpid,
        .number = binding->number,
        .has_clock = binding->has_clock,
        .has_vpid = binding->vpid.scope != PINSIGHT_NOWHERE,
        .has_vtid = binding->vtid.scope != PINSIGHT_NOWHERE,
        .vpid_kind = binding->vpid.slot.kind,
        .vtid_kind = binding->vtid.slot.kind,
    };
    size_t at;

    for (size_t i = 0; i < desc->field_count; i++)
        if (binding->fields[i].there)
            class.kinds[i] = (uint8_t)(binding->fields[i].kind + 1);
    at = begin(sender, CTF_FRAME_CLASS, &class, sizeof(class));
    put(sender, name, strlen(name) + 1);
    put(sender, host, strlen(host) + 1);
    end(sender, at);
}

static void put_event(struct ctf_sender *sender, const struct pinsight_event *event) {
    const struct pinsight_binding *binding = event->binding;
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    const struct ctf_transfer_event head = {.ns = event->ns,
                                            .class = binding->number,
                                            .instance = event->instance,
                                            .earlier = event->earlier,
                                            .partial = event->partial};
    size_t at = begin(sender, CTF_FRAME_EVENT, &head, offsetof(struct ctf_transfer_event, vpid));

    put_number(sender, pinsight_context_integer(event, &binding->vpid));
    put_number(sender, pinsight_context_integer(event, &binding->vtid));
    for (unsigned i = 0; i < desc->field_count; i++)
        if (binding->fields[i].there && binding->fields[i].kind != PINSIGHT_FIELD_STRING)
            put_number(sender, pinsight_event_integer(event, i));
    for (unsigned i = 0; i < desc->field_count; i++)
        if (binding->fields[i].there && binding->fields[i].kind == PINSIGHT_FIELD_STRING) {
            const char *text = pinsight_event_text(event, i);

            put(sender, text, strlen(text) + 1);
        }
    end(sender, at);
}

static void flush(struct ctf_sender *sender) {
    unsigned char *events = sender->bytes;
    size_t used = sender->used, capacity = sender->capacity;

    sender->bytes = NULL;
    sender->used = sender->capacity = 0;
    put_state(sender);
    write_all(sender);
    free(sender->bytes);
    sender->bytes = events;
    sender->used = used;
    sender->capacity = capacity;
    write_all(sender);
}

int ctf_sender_add(struct ctf_sender *sender, const struct pinsight_event *event) {
    uint32_t number = event->binding->number;

    sender->sent = pinsight_reach(sender->sent, number, &sender->sent_count, sizeof(*sender->sent));
    if (!sender->sent[number])
        put_class(sender, event->binding);
    sender->sent[number] = true;
    put_event(sender, event);
    if (sender->used >= BATCH)
        flush(sender);
    return sender->failed ? -1 : 0;
}

void ctf_sender_end(struct ctf_sender *sender, int rc) {
    const struct pinsight_source_result *result = sender->result;
    const struct ctf_transfer_end last = {.rc = rc};
    size_t at;

    flush(sender);
    for (size_t i = 0; i < result->short_count; i++) {
        const struct pinsight_short_process *process = &result->short_processes[i];
        const struct ctf_transfer_short body = {.pid = process->pid,
                                                .missing = process->missing,
                                                .instance = process->instance,
                                                .ended = process->ended,
                                                .exact = process->exact};

        end(sender, begin(sender, CTF_FRAME_SHORT, &body, sizeof(body)));
    }
    at = begin(sender, CTF_FRAME_END, &last, sizeof(last));
    if (result->error)
        put(sender, result->error, strlen(result->error));
    end(sender, at);
    write_all(sender);
}

void ctf_sender_clear(struct ctf_sender *sender) {
    free(sender->bytes);
    free(sender->sent);
    *sender = (struct ctf_sender){0};
}
