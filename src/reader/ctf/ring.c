/* The kept events of a flight recorder; see ring.h. */
#include "reader/ctf/ring.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of a begin's fields; eight more can be read behind them. */
enum { MOST_BYTES = 24 };

/* A begin without an end so far. */
struct ring_frame {
    struct pinsight_event event;
    int64_t thread;
    bool is_c;
    uint32_t number; /* of the code, or of the callable */
    unsigned char bytes[MOST_BYTES];
};

static const uint32_t no_bases[1] = {0};

/* Returns the number in a begin or an end, with `how` in its last two bits. */
static uint32_t packed(const struct pinsight_event *event) {
    return (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW);
}

static void begin(struct pinsight_ring *ring, const struct pinsight_event *event, bool is_c) {
    struct ring_frame *frame = PINSIGHT_ADD(ring->frames, ring->count, ring->capacity);
    struct pinsight_slot slot = event->binding->fields[PINSIGHT_PYTHON_BEGIN_CODE_HOW];

    *frame = (struct ring_frame){.event = *event,
                                 .thread = pinsight_event_vtid(event),
                                 .is_c = is_c,
                                 .number = packed(event) / 4};
    memcpy(frame->bytes, event->at, MOST_BYTES - sizeof(uint64_t));
    /* Marks it as a continuation, because the call did not start in this part. */
    if (!is_c && slot.there && slot.offset < MOST_BYTES - sizeof(uint64_t))
        frame->bytes[slot.offset] = (unsigned char)((frame->bytes[slot.offset] & ~3u) | 1u);
}

/* Ends the open calls of the thread down to the begin of this end. */
static void end(struct pinsight_ring *ring, const struct pinsight_event *event, bool is_c) {
    int64_t thread = pinsight_event_vtid(event);
    size_t at = ring->count;

    do {
        if (!at--)
            return;
    } while (ring->frames[at].thread != thread || ring->frames[at].is_c != is_c ||
             ring->frames[at].number != packed(event) / 4);
    size_t kept = at;
    for (size_t i = at; i < ring->count; i++)
        if (ring->frames[i].thread != thread)
            ring->frames[kept++] = ring->frames[i];
    ring->count = kept;
}

/* Notes a call from an event `open` or `c_open`. It is new unless all open calls of the thread come
 * from such events. */
static void take_open(struct pinsight_ring *ring, const struct pinsight_event *event, bool is_c) {
    unsigned depth_field = is_c ? PINSIGHT_PYTHON_C_OPEN_DEPTH : PINSIGHT_PYTHON_OPEN_DEPTH;
    int64_t thread = pinsight_event_vtid(event);
    size_t depth = 0;

    for (size_t i = 0; i < ring->count; i++)
        depth += ring->frames[i].thread == thread;
    if (depth == (uint32_t)pinsight_event_integer(event, depth_field))
        begin(ring, event, is_c);
}

bool pinsight_ring_lets(struct pinsight_ring *ring, const struct pinsight_event *event) {
    struct pinsight_kept *kept = &ring->kept;

    if (!kept->begin_ns) {
        kept->begin_ns = event->ns;
        kept->host = event->binding->host;
        kept->instance = event->instance;
        ring->is_part = ring->is_cut || kept->from_ns > event->ns;
    }
    if (event->binding->definition)
        return true;
    if (event->ns >= kept->from_ns) {
        ring->begun = true;
        return true;
    }
    ring->is_cut = true;
    switch (event->binding->id) {
    case PINSIGHT_EVENT_PYTHON_BEGIN:
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
        begin(ring, event, event->binding->id == PINSIGHT_EVENT_PYTHON_C_BEGIN);
        break;
    case PINSIGHT_EVENT_PYTHON_OPEN:
    case PINSIGHT_EVENT_PYTHON_C_OPEN:
        take_open(ring, event, event->binding->id == PINSIGHT_EVENT_PYTHON_C_OPEN);
        break;
    case PINSIGHT_EVENT_PYTHON_END:
    case PINSIGHT_EVENT_PYTHON_C_END:
        end(ring, event, event->binding->id == PINSIGHT_EVENT_PYTHON_C_END);
        break;
    default:
        break;
    }
    return false;
}

int pinsight_ring_hand_on(struct pinsight_ring *ring,
                          int (*on_event)(void *data, const struct pinsight_event *event),
                          void *data) {
    int rc = 0;

    for (size_t i = 0; i < ring->count && !rc; i++) {
        struct pinsight_event *event = &ring->frames[i].event;

        event->at = ring->frames[i].bytes;
        event->bases = no_bases;
        event->ns = ring->kept.from_ns;
        rc = on_event(data, event);
    }
    ring->count = 0;
    return rc;
}

void pinsight_ring_clear(struct pinsight_ring *ring) {
    free(ring->frames);
    *ring = (struct pinsight_ring){0};
}
