/* The sending end of carried events; see carried.h. */
#include "base/memory.h"
#include "reader/ctf/carried.h"
#include "reader/ctf/carried_form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of bytes that are written at once. */
#define BATCH 65536

static unsigned char *reserve(struct ctf_carrier *carrier, size_t size) {
    if (carrier->capacity - carrier->used < size) {
        carrier->capacity = 2 * (carrier->used + size);
        carrier->bytes = pinsight_realloc(carrier->bytes, carrier->capacity, 1);
    }
    return carrier->bytes + carrier->used;
}

static void put(struct ctf_carrier *carrier, const void *bytes, size_t size) {
    memcpy(reserve(carrier, size), bytes, size);
    carrier->used += size;
}

/* Begins a frame. Returns its position. */
static size_t begin(struct ctf_carrier *carrier, enum ctf_frame kind, const void *body,
                    size_t size) {
    const struct ctf_frame_head head = {.kind = kind};
    size_t at = carrier->used;

    put(carrier, &head, sizeof(head));
    put(carrier, body, size);
    return at;
}

static void end(struct ctf_carrier *carrier, size_t at) {
    uint32_t size = (uint32_t)(carrier->used - at - sizeof(struct ctf_frame_head));

    memcpy(carrier->bytes + at + offsetof(struct ctf_frame_head, size), &size, sizeof(size));
}

static void put_number(struct ctf_carrier *carrier, int64_t number) {
    uint64_t value = (uint64_t)number;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    put(carrier, &value, sizeof(value));
}

static void write_all(struct ctf_carrier *carrier) {
    size_t done = 0;

    while (!carrier->failed && done < carrier->used) {
        ssize_t wrote = write(carrier->fd, carrier->bytes + done, carrier->used - done);

        if (wrote > 0)
            done += (size_t)wrote;
        else
            carrier->failed = wrote == 0 || errno != EINTR;
    }
    carrier->used = 0;
}

/* Adds the present numbers of the result. */
static void put_state(struct ctf_carrier *carrier) {
    const struct pinsight_source_result *result = carrier->result;
    const struct ctf_carried_numbers numbers = {
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

    end(carrier, begin(carrier, CTF_FRAME_STATE, &numbers, sizeof(numbers)));
    for (; carrier->warned < result->warning_count; carrier->warned++) {
        const char *text = result->warnings[carrier->warned];

        end(carrier, begin(carrier, CTF_FRAME_WARNING, text, strlen(text)));
    }
}

static void put_class(struct ctf_carrier *carrier, const struct pinsight_binding *binding) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    const char *host = pinsight_strings_text(binding->hosts, binding->host);
    const char *name = desc->full_name ? desc->full_name : "";
    struct ctf_carried_class class = {
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
    at = begin(carrier, CTF_FRAME_CLASS, &class, sizeof(class));
    put(carrier, name, strlen(name) + 1);
    put(carrier, host, strlen(host) + 1);
    end(carrier, at);
}

static void put_event(struct ctf_carrier *carrier, const struct pinsight_event *event) {
    const struct pinsight_binding *binding = event->binding;
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    const struct ctf_carried_event head = {.ns = event->ns,
                                           .class = binding->number,
                                           .instance = event->instance,
                                           .earlier = event->earlier,
                                           .partial = event->partial};
    size_t at = begin(carrier, CTF_FRAME_EVENT, &head, offsetof(struct ctf_carried_event, vpid));

    put_number(carrier, pinsight_context_integer(event, &binding->vpid));
    put_number(carrier, pinsight_context_integer(event, &binding->vtid));
    for (unsigned i = 0; i < desc->field_count; i++)
        if (binding->fields[i].there && binding->fields[i].kind != PINSIGHT_FIELD_STRING)
            put_number(carrier, pinsight_event_integer(event, i));
    for (unsigned i = 0; i < desc->field_count; i++)
        if (binding->fields[i].there && binding->fields[i].kind == PINSIGHT_FIELD_STRING) {
            const char *text = pinsight_event_text(event, i);

            put(carrier, text, strlen(text) + 1);
        }
    end(carrier, at);
}

static void flush(struct ctf_carrier *carrier) {
    unsigned char *events = carrier->bytes;
    size_t used = carrier->used, capacity = carrier->capacity;

    carrier->bytes = NULL;
    carrier->used = carrier->capacity = 0;
    put_state(carrier);
    write_all(carrier);
    free(carrier->bytes);
    carrier->bytes = events;
    carrier->used = used;
    carrier->capacity = capacity;
    write_all(carrier);
}

int ctf_carrier_add(struct ctf_carrier *carrier, const struct pinsight_event *event) {
    uint32_t number = event->binding->number;

    carrier->sent =
        pinsight_reach(carrier->sent, number, &carrier->sent_count, sizeof(*carrier->sent));
    if (!carrier->sent[number])
        put_class(carrier, event->binding);
    carrier->sent[number] = true;
    put_event(carrier, event);
    if (carrier->used >= BATCH)
        flush(carrier);
    return carrier->failed ? -1 : 0;
}

void ctf_carrier_end(struct ctf_carrier *carrier, int rc) {
    const struct pinsight_source_result *result = carrier->result;
    const struct ctf_carried_end last = {.rc = rc};
    size_t at;

    flush(carrier);
    for (size_t i = 0; i < result->short_count; i++) {
        const struct pinsight_short_process *process = &result->short_processes[i];
        const struct ctf_carried_short body = {.pid = process->pid,
                                               .missing = process->missing,
                                               .instance = process->instance,
                                               .ended = process->ended,
                                               .exact = process->exact};

        end(carrier, begin(carrier, CTF_FRAME_SHORT, &body, sizeof(body)));
    }
    at = begin(carrier, CTF_FRAME_END, &last, sizeof(last));
    if (result->error)
        put(carrier, result->error, strlen(result->error));
    end(carrier, at);
    write_all(carrier);
}

void ctf_carrier_clear(struct ctf_carrier *carrier) {
    free(carrier->bytes);
    free(carrier->sent);
    *carrier = (struct ctf_carrier){0};
}
