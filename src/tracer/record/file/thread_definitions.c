/*
 * Definitions of threads in a flight recorder: names, starters, functions that they run.
 *
 * Other definitions are in streams that are never dropped. A thread's own are among its other
 * events, so that they are dropped with its last file. The thread repeats them at the begin of each
 * of its files. Until then they are in the page of the buffer's head, because a repetition can be
 * due within any event.
 */
#include "tracer/record/file/recording.h"

#include "tracer/record/counted.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The most definitions of a thread, and the most bytes of one's fields. Longer ones are among the
 * definitions that are never dropped. */
enum { DEFINITIONS = 3, FIELDS_MOST = 1024 };

struct definition {
    uint16_t number; /* of the event; 0: none */
    uint16_t bytes;
    uint8_t fields[FIELDS_MOST];
};

struct definitions {
    bool is_due; /* the thread's present file does not have them */
    struct definition all[DEFINITIONS];
};

_Static_assert(sizeof(struct pinsight_buffer_head) + sizeof(struct definitions) <=
                   PINSIGHT_BUFFER_HEAD_BYTES,
               "they are in one page");

static struct definitions *of(struct pinsight_buffer_head *head) {
    return (struct definitions *)(head + 1);
}

bool pinsight_stream_reserve_of_thread(const struct pinsight_event_number *number, size_t bytes,
                                       uint32_t tid, struct pinsight_event_place *place) {
    struct pinsight_event_number own = *number;
    if (pinsight_recording.is_ring && bytes <= FIELDS_MOST && tid == (uint32_t)syscall(SYS_gettid))
        own.is_kept = 0;
    return pinsight_stream_reserve(&own, bytes, place);
}

/* Notes the definition in place of an earlier one of the same number. */
static void note(struct definitions *all, uint16_t number, const uint8_t *fields, size_t bytes) {
    for (unsigned i = 0; i < DEFINITIONS; i++) {
        struct definition *definition = &all->all[i];
        if (definition->number && definition->number != number)
            continue;
        memcpy(definition->fields, fields, bytes);
        definition->bytes = (uint16_t)bytes;
        definition->number = number;
        return;
    }
}

void pinsight_stream_commit_of_thread(const struct pinsight_event_number *number,
                                      const struct pinsight_event_place *place, uint8_t *at) {
    if (pinsight_recording.is_ring && !place->stream->is_kept)
        note(of(place->head), number->number, place->at, (size_t)(at - place->at));
    pinsight_stream_commit(place, at);
}

void pinsight_thread_definitions_begin(struct pinsight_record_stream *stream) {
    struct definitions *all = of(stream->head);
    all->is_due = false;
    for (unsigned i = 0; i < DEFINITIONS; i++)
        all->all[i].number = 0;
}

void pinsight_thread_definitions_due(struct pinsight_record_stream *stream) {
    of(stream->head)->is_due = true;
}

size_t pinsight_thread_definitions_bytes(const struct pinsight_record_stream *stream) {
    const struct definitions *all = of(stream->head);
    size_t bytes = 0;
    for (unsigned i = 0; i < DEFINITIONS && all->all[i].number; i++)
        bytes += PINSIGHT_EXTENDED_BYTES + all->all[i].bytes;
    return bytes;
}

void pinsight_thread_definitions_repeat(struct pinsight_record_stream *stream) {
    struct pinsight_buffer_head *head = stream->head;
    struct definitions *all = of(head);
    const uint8_t extended = PINSIGHT_EXTENDED;
    uint8_t *at = stream->at;

    if (!all->is_due)
        return;
    all->is_due = false;
    for (unsigned i = 0; i < DEFINITIONS && all->all[i].number; i++) {
        const struct definition *definition = &all->all[i];
        uint32_t wide = definition->number;
        at = PINSIGHT_STORE(at, extended);
        at = PINSIGHT_STORE(at, wide);
        at = PINSIGHT_STORE(at, head->last);
        memcpy(at, definition->fields, definition->bytes);
        at += definition->bytes;
        pinsight_recorded_count(true);
    }
    pinsight_stream_publish(stream, head, at);
}
