/* Decoding of streams; see cursor.h. */
#include "reader/ctf/cursor.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The distance in bytes of prefetching ahead of the event. */
#define AHEAD 1024

/* The most segments of the events of a batch. */
#define MOST_BASES(capacity) (2 * (capacity) + CTF_MOST_SEGMENTS + 1)

struct ctf_batch *ctf_batch_new(size_t capacity) {
    struct ctf_batch *batch = pinsight_calloc(1, sizeof(*batch));

    batch->capacity = capacity;
    batch->records = pinsight_realloc(NULL, capacity, sizeof(*batch->records));
    batch->bases = pinsight_realloc(NULL, MOST_BASES(capacity), sizeof(*batch->bases));
    return batch;
}

void ctf_batch_free(struct ctf_batch *batch) {
    if (!batch)
        return;
    free(batch->cause);
    free(batch->records);
    free(batch->bases);
    free(batch);
}

static uint32_t load32(const unsigned char *at) {
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t load64(const unsigned char *at) {
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* Ends the stream after the batch's events. */
static void end_with(struct ctf_cursor *cursor, struct ctf_batch *batch, enum ctf_outcome outcome,
                     char *cause) {
    cursor->over = true;
    batch->outcome = outcome;
    batch->cause = cause;
}

/* Returns the end of the readable part of the file. */
static uint64_t end_of(const struct ctf_file *file) {
    return file->whole_size + file->cut_size;
}

static const struct ctf_file *next_file(struct ctf_cursor *cursor) {
    const struct ctf_file *file = &cursor->files[cursor->file];

    cursor->file_sequence = cursor->sequence;
    cursor->file_end = ctf_file_number(file, cursor->packet, file->class->end);
    cursor->file++;
    cursor->next = 0;
    return file + 1;
}

/* Finds the packet that begins at the end of the last one. */
static void place_packet(struct ctf_cursor *cursor, const struct ctf_file *file) {
    cursor->packet = cursor->next;
    cursor->next = cursor->packet + ctf_file_number(file, cursor->packet, file->class->packet) / 8;
    if (cursor->next > end_of(file) || cursor->next <= cursor->packet)
        cursor->next = end_of(file);
}

/* Returns whether a packet is also in an earlier file, because files may overlap. */
static bool is_repeated(const struct ctf_cursor *cursor, const struct ctf_file *file) {
    return cursor->file && file->class->sequence.there &&
           ctf_file_number(file, cursor->packet, file->class->sequence) <= cursor->file_sequence &&
           ctf_file_number(file, cursor->packet, file->class->end) <= cursor->file_end;
}

/* Returns the damage of a packet, or NULL. */
static const char *damage_of(const struct ctf_cursor *cursor, const struct ctf_file *file,
                             uint64_t content) {
    const struct ctf_trace *trace = file->trace;

    if (trace->has_uuid && memcmp(file->data + cursor->packet + trace->uuid_at, trace->tsdl.uuid,
                                  sizeof(trace->tsdl.uuid)) != 0)
        return "a packet of another trace";
    if (ctf_stream_class_of(trace, ctf_file_number(file, cursor->packet, trace->stream)) !=
        file->class)
        return "a packet of another stream";
    return content < file->class->head_size ? "a packet has changed" : NULL;
}

/* Advances to the next packet. Returns false at the end of the stream. */
static bool next_packet(struct ctf_cursor *cursor, struct ctf_batch *batch) {
    const struct ctf_file *file = &cursor->files[cursor->file];
    const char *damage;
    uint64_t content;

    batch->leaves = true;
    do {
        while (cursor->next >= end_of(file)) {
            if (cursor->file + 1 == cursor->file_count) {
                end_with(cursor, batch, CTF_ENDED, NULL);
                return false;
            }
            file = next_file(cursor);
        }
        place_packet(cursor, file);
    } while (is_repeated(cursor, file));
    batch->file = cursor->file;
    content = ctf_file_number(file, cursor->packet, file->class->content) / 8;
    if (content > cursor->next - cursor->packet)
        content = cursor->next - cursor->packet;
    damage = damage_of(cursor, file, content);
    if (damage) {
        end_with(cursor, batch, CTF_FAILED, pinsight_strdup(damage));
        return false;
    }
    cursor->place.at = file->data + cursor->packet + file->class->head_size;
    cursor->place.end = file->data + cursor->packet + content;
    cursor->place.clock = ctf_file_number(file, cursor->packet, file->class->begin);
    cursor->sequence = ctf_file_number(file, cursor->packet, file->class->sequence);
    batch->begins = true;
    return true;
}

/* Completes a time from its last `bits` bits, which have wrapped at most once. */
static uint64_t clock_at(uint64_t clock, uint64_t low, unsigned bits) {
    return clock + ((low - clock) & ((UINT64_C(1) << bits) - 1));
}

/* Advances a position to a multiple of `align` bytes, a power of two, from the begin of its packet.
 * Returns NULL if that exceeds the packet. */
static const unsigned char *align_to(const unsigned char *at, const unsigned char *end,
                                     const unsigned char *packet, uint32_t align) {
    size_t skip = -(size_t)(at - packet) & (align - 1);

    return skip <= (size_t)(end - at) ? at + skip : NULL;
}

/* Like read_head(), for heads whose numbers are at their natural addresses. */
__attribute__((noinline)) static const unsigned char *read_natural_head(struct ctf_place *place,
                                                                        bool is_large,
                                                                        const unsigned char *packet,
                                                                        uint64_t *id) {
    const uint32_t most = is_large ? 0xffff : 31;
    const unsigned char *end = place->end;
    const unsigned char *at = align_to(place->at, end, packet, is_large ? 2 : 4);
    uint32_t word;

    if (!at || end - at < 4)
        return NULL;
    word = load32(at);
    *id = word & most;
    if (*id != most && !is_large) {
        place->clock = clock_at(place->clock, word >> 5, 27);
        return at + 4;
    }
    at = align_to(at + (is_large ? 2 : 1), end, packet, *id == most ? 8 : 4);
    if (!at || end - at < 4)
        return NULL;
    word = load32(at);
    if (*id != most) {
        place->clock = clock_at(place->clock, word, 32);
        return at + 4;
    }
    *id = word;
    at = align_to(at + 4, end, packet, 8);
    if (!at || end - at < 8)
        return NULL;
    place->clock = load64(at);
    return at + 8;
}

/* Reads the head of the event at `at`. Returns its end, or NULL if it exceeds the packet. */
static inline const unsigned char *read_head(struct ctf_place *place,
                                             const struct ctf_stream_class *class,
                                             const unsigned char *packet, uint64_t *id) {
    const unsigned char *at = place->at;
    size_t left = (size_t)(place->end - at), size;
    uint32_t word;

    switch (class->head) {
    case CTF_COMPACT:
        if (left < 4)
            return NULL;
        word = load32(at);
        *id = word & 31;
        if (*id != 31) {
            place->clock = clock_at(place->clock, word >> 5, 27);
            return at + 4;
        }
        size = 1;
        break;
    case CTF_LARGE:
        if (left < 6)
            return NULL;
        *id = load32(at) & 0xffff;
        if (*id != 0xffff) {
            place->clock = clock_at(place->clock, load32(at + 2), 32);
            return at + 6;
        }
        size = 2;
        break;
    case CTF_NATURAL_COMPACT:
    case CTF_NATURAL_LARGE:
        return read_natural_head(place, class->head == CTF_NATURAL_LARGE, packet, id);
    default:
        if (left < class->plain_size)
            return NULL;
        *id = (uint64_t)pinsight_slot_integer(at + class->plain_id.offset, class->plain_id);
        if (class->plain_time.there) {
            uint64_t time =
                (uint64_t)pinsight_slot_integer(at + class->plain_time.offset, class->plain_time);
            unsigned bits = 64u - class->plain_time.shift;

            place->clock = bits == 64 ? time : clock_at(place->clock, time, bits);
        }
        return at + class->plain_size;
    }
    if (left < size + 12)
        return NULL;
    *id = load32(at + size);
    place->clock = load64(at + size + 4);
    return at + size + 12;
}

/* Returns the end of a text that begins at `at`, or NULL if it exceeds `end`. Most texts are short,
 * so it compares eight bytes at a time, which may include bytes behind the file's end. */
static inline const unsigned char *text_end(const unsigned char *at, const unsigned char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101);

    for (int i = 0; i < 8 && at < end; i++, at += 8) {
        uint64_t word = load64(at);
        uint64_t zeros = (word - ones) & ~word & ones << 7;

        if (zeros) {
            at += __builtin_ctzll(zeros) / 8;
            return at < end ? at : NULL;
        }
    }
    return at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
}

/* Returns the end of a variant that begins at `at`, or NULL if it exceeds the packet or has none of
 * its choices. */
static const unsigned char *choose(const struct ctf_trace *trace, const struct ctf_step *step,
                                   int64_t tag, const unsigned char *at, const unsigned char *end,
                                   const unsigned char *packet) {
    const struct ctf_choice *choice = &trace->choices[step->choice];
    const bool is_signed = step->number.kind == PINSIGHT_FIELD_SIGNED;

    for (uint32_t i = 0; i < step->size; i++, choice++) {
        if (is_signed ? tag < (int64_t)choice->low || tag > (int64_t)choice->high
                      : (uint64_t)tag < choice->low || (uint64_t)tag > choice->high)
            continue;
        at = align_to(at, end, packet, choice->align);
        if (at && choice->is_text) {
            at = text_end(at, end);
            return at ? at + 1 : NULL;
        }
        return at && choice->size <= (size_t)(end - at) ? at + choice->size : NULL;
    }
    return NULL;
}

/* Walks over the segments of an event, and notes their begins. Returns the event's end, or NULL if
 * it exceeds the packet. */
static const unsigned char *walk(const struct ctf_trace *trace, const struct ctf_class *class,
                                 const unsigned char *begin, const unsigned char *end,
                                 const unsigned char *packet, uint32_t *bases) {
    const unsigned char *at = begin;

    bases[0] = 0;
    for (uint32_t i = 0; i < class->step_count; i++) {
        const struct ctf_step *step = &class->steps[i];

        if (step->skip > (size_t)(end - at))
            return NULL;
        at += step->skip;
        if (step->kind == CTF_STEP_TEXT) {
            at = text_end(at, end);
            if (at)
                at++;
        } else if (step->kind == CTF_STEP_ALIGN) {
            at = align_to(at, end, packet, step->size);
        } else {
            int64_t number = pinsight_slot_integer(
                begin + bases[step->number.segment] + step->number.offset, step->number);

            if (step->kind == CTF_STEP_VARIANT)
                at = choose(trace, step, number, at, end, packet);
            else if ((uint64_t)number <= (size_t)(end - at) / step->size)
                at += (uint64_t)number * step->size;
            else
                at = NULL;
        }
        if (!at)
            return NULL;
        /* A larger event is damaged. */
        if (at - begin > UINT32_MAX)
            return NULL;
        bases[i + 1] = (uint32_t)(at - begin);
    }
    return class->size <= (size_t)(end - at) ? at + class->size : NULL;
}

/* Returns why an event is not read, as new text. */
static char *why_unread(const struct ctf_stream_class *class, uint64_t id) {
    const struct tsdl_event *event = id < class->class_count ? class->classes[id].unread : NULL;

    if (event)
        return pinsight_format("its event %.*s has fields of a form that PInsight does not read",
                               (int)event->name.length, event->name.at);
    return pinsight_format("the trace does not describe event %" PRIu64, id);
}

/* Decodes events of the packet until the batch is full or the packet ends. */
static void fill_packet(struct ctf_cursor *cursor, struct ctf_batch *batch) {
    const struct ctf_file *file = &cursor->files[cursor->file];
    const struct ctf_stream_class *kind = file->class;
    const struct pinsight_clock clock = file->trace->clock;
    const bool has_clock = file->trace->has_clock;
    const size_t most_bases = MOST_BASES(batch->capacity) - CTF_MOST_SEGMENTS;
    const uint64_t limit = cursor->limit;
    const unsigned char *packet = file->data + cursor->packet;
    struct pinsight_record *record = batch->records, *last = record + batch->capacity;
    struct ctf_place place = cursor->place;

    while (place.at != place.end && record < last && batch->base_count < most_bases &&
           place.at - batch->bytes < UINT32_MAX / 2) {
        const unsigned char *end = NULL;
        const struct ctf_class *class;
        uint64_t id = 0;
        const unsigned char *at = read_head(&place, kind, packet, &id);

        if (at && (id >= kind->class_count || !kind->classes[id].event)) {
            end_with(cursor, batch, CTF_FAILED, why_unread(kind, id));
            break;
        }
        if (__builtin_expect(place.clock > limit, 0)) {
            end_with(cursor, batch, CTF_LATE, NULL);
            break;
        }
        class = at ? &kind->classes[id] : NULL;
        if (class && class->step_count)
            end = walk(file->trace, class, at, place.end, packet, batch->bases + batch->base_count);
        else if (class && class->size <= (size_t)(place.end - at))
            end = at + class->size;
        if (!end) {
            if (cursor->packet < file->whole_size)
                end_with(cursor, batch, CTF_FAILED,
                         pinsight_strdup("an event goes beyond its packet"));
            place.at = place.end; /* a file that was cut off is known already */
            break;
        }
        if (class->step_count)
            batch->base_count += class->step_count + 1;
        place.at = end;
        __builtin_prefetch(end + AHEAD);
        record->ns = has_clock ? pinsight_clock_ns(&clock, place.clock) : 0;
        record->at = (uint32_t)(at - batch->bytes);
        record->class = (uint32_t)id;
        record++;
    }
    batch->count = (size_t)(record - batch->records);
    cursor->place = place;
}

void ctf_cursor_fill(struct ctf_cursor *cursor, struct ctf_batch *batch) {
    batch->leaves = batch->begins = false;
    batch->outcome = CTF_GOES_ON;
    batch->cause = NULL;
    batch->count = batch->base_count = 0;
    batch->file = cursor->file;
    if (cursor->place.at == cursor->place.end && !next_packet(cursor, batch))
        return;
    batch->packet = cursor->packet;
    batch->class = cursor->files[cursor->file].class;
    batch->bytes = cursor->place.at;
    fill_packet(cursor, batch);
}
