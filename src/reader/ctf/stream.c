/* Decoding of streams; see stream.h. */
#include "reader/ctf/stream.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of a file that are let go of at once. */
#define RELEASE (UINT64_C(1) << 20)

/* How far ahead of the event bytes are asked for. */
#define AHEAD 1024

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

__attribute__((noinline, cold)) static bool fail(struct pinsight_merge *merge,
                                                 struct ctf_stream *stream, char *cause) {
    const char *path = stream->files[stream->file].path;
    char *real = realpath(path, NULL);

    stream->at = stream->end = NULL;
    pinsight_stream_fail(merge, &stream->base, real ? real : path, cause);
    free(real);
    return false;
}

/* The end of what can be read of the file. */
static uint64_t end_of(const struct ctf_file *file) {
    return file->whole_size + file->cut_size;
}

/* Takes note of the end of the packet whose events were read. */
static void end_packet(struct pinsight_merge *merge, struct ctf_stream *stream) {
    const struct ctf_file *file = &stream->files[stream->file];
    uint64_t end = ctf_file_number(file, stream->packet, file->class->end);

    stream->in_packet = false;
    if (!stream->base.earlier && file->trace->has_clock && file->class->end.there)
        pinsight_stream_until(merge, pinsight_clock_ns(&file->trace->clock, end));
}

/* Takes note of what a packet's head counts. */
static void note_counts(struct pinsight_merge *merge, struct ctf_stream *stream) {
    const struct ctf_file *file = &stream->files[stream->file];
    uint64_t sequence = ctf_file_number(file, stream->packet, file->class->sequence);
    uint64_t discarded = ctf_file_number(file, stream->packet, file->class->discarded);

    if (stream->base.earlier) {
        /* What it lacks is not of interest. */
    } else if (!stream->has_first) {
        pinsight_stream_first(merge, &stream->base, file->path,
                              (struct pinsight_packets){.is_known = true,
                                                        .first_sequence = sequence,
                                                        .first_discarded = discarded,
                                                        .instance = file->instance});
    } else {
        if (file->class->discarded.there && discarded != stream->discarded)
            pinsight_stream_discards(merge, &stream->base, discarded - stream->discarded);
        if (file->class->sequence.there && sequence > stream->sequence + 1)
            pinsight_stream_overwritten(merge, &stream->base, true,
                                        sequence - stream->sequence - 1);
    }
    stream->has_first = true;
    stream->sequence = sequence;
    stream->discarded = discarded;
}

/* Lets go of what was read, so that a large trace does not stay in memory. */
static void release(struct ctf_stream *stream, const struct ctf_file *file, uint64_t until) {
    until = until / RELEASE * RELEASE;
    if (until > stream->released)
        madvise((void *)(file->data + stream->released), (size_t)(until - stream->released),
                MADV_DONTNEED);
    stream->released = until;
}

static const struct ctf_file *next_file(struct ctf_stream *stream) {
    const struct ctf_file *file = &stream->files[stream->file];

    stream->file_sequence = stream->sequence;
    stream->file_end = ctf_file_number(file, stream->packet, file->class->end);
    release(stream, file, file->size);
    stream->file++;
    stream->next = stream->released = 0;
    return file + 1;
}

/* Finds the packet that begins where the last one ended. */
static void place_packet(struct ctf_stream *stream, const struct ctf_file *file) {
    stream->packet = stream->next;
    release(stream, file, stream->packet);
    stream->next = stream->packet + ctf_file_number(file, stream->packet, file->class->packet) / 8;
    if (stream->next > end_of(file) || stream->next <= stream->packet)
        stream->next = end_of(file);
}

/* Whether a packet stands in a file before this one, too: files may overlap. */
static bool is_again(const struct ctf_stream *stream, const struct ctf_file *file) {
    return stream->file && file->class->sequence.there &&
           ctf_file_number(file, stream->packet, file->class->sequence) <= stream->file_sequence &&
           ctf_file_number(file, stream->packet, file->class->end) <= stream->file_end;
}

/* Goes to the next packet; false at the end of the stream. */
__attribute__((noinline, cold)) static bool next_packet(struct pinsight_merge *merge,
                                                        struct ctf_stream *stream) {
    const struct ctf_file *file = &stream->files[stream->file];
    const struct ctf_trace *trace;
    uint64_t content;

    if (stream->base.failed)
        return false;
    if (stream->in_packet)
        end_packet(merge, stream);
    do {
        while (stream->next >= end_of(file)) {
            if (stream->file + 1 == stream->file_count)
                return false;
            file = next_file(stream);
        }
        place_packet(stream, file);
    } while (is_again(stream, file));
    trace = file->trace;
    if (trace->has_uuid && memcmp(file->data + stream->packet + trace->uuid_at, trace->tsdl.uuid,
                                  sizeof(trace->tsdl.uuid)) != 0)
        return fail(merge, stream, pinsight_strdup("a packet of another trace"));
    if (ctf_stream_class_of(trace, ctf_file_number(file, stream->packet, trace->stream)) !=
        file->class)
        return fail(merge, stream, pinsight_strdup("a packet of another stream"));
    content = ctf_file_number(file, stream->packet, file->class->content) / 8;
    if (content > stream->next - stream->packet)
        content = stream->next - stream->packet;
    if (content < file->class->head_size)
        return fail(merge, stream, pinsight_strdup("a packet has changed"));
    stream->at = file->data + stream->packet + file->class->head_size;
    stream->end = file->data + stream->packet + content;
    stream->clock = ctf_file_number(file, stream->packet, file->class->begin);
    stream->in_packet = true;
    stream->base.event.packet = file->data + stream->packet;
    note_counts(merge, stream);
    return true;
}

/* The next event is later than what is to be read. */
__attribute__((noinline, cold)) static bool end_late(struct pinsight_merge *merge,
                                                     struct ctf_stream *stream) {
    end_packet(merge, stream);
    stream->at = stream->end = NULL;
    stream->file = stream->file_count - 1;
    stream->next = UINT64_MAX;
    return false;
}

/* An event does not end within its packet, which ends the stream; at the end of a file that was cut
 * off it is no news. Returns whether the stream goes on. */
static bool end_short(struct pinsight_merge *merge, struct ctf_stream *stream) {
    if (stream->packet < stream->files[stream->file].whole_size)
        return fail(merge, stream, pinsight_strdup("an event goes beyond its packet"));
    stream->at = stream->end;
    return true;
}

/* A time of which the last bits are known, and which has not gone round twice. */
static uint64_t clock_at(uint64_t clock, uint64_t low, unsigned bits) {
    return clock + ((low - clock) & ((UINT64_C(1) << bits) - 1));
}

/* Reads the head of the event at `at`; where it ends, or NULL where it goes beyond the packet. */
static inline const unsigned char *read_head(struct ctf_stream *stream,
                                             const struct ctf_stream_class *class, uint64_t *id) {
    const unsigned char *at = stream->at;
    size_t left = (size_t)(stream->end - at), size;
    uint32_t word;

    switch (class->head) {
    case CTF_COMPACT:
        if (left < 4)
            return NULL;
        word = load32(at);
        *id = word & 31;
        if (*id != 31) {
            stream->clock = clock_at(stream->clock, word >> 5, 27);
            return at + 4;
        }
        size = 1;
        break;
    case CTF_LARGE:
        if (left < 6)
            return NULL;
        *id = load32(at) & 0xffff;
        if (*id != 0xffff) {
            stream->clock = clock_at(stream->clock, load32(at + 2), 32);
            return at + 6;
        }
        size = 2;
        break;
    default:
        if (left < class->plain_size)
            return NULL;
        *id = (uint64_t)pinsight_slot_integer(at + class->plain_id.offset, class->plain_id);
        if (class->plain_time.there) {
            uint64_t time =
                (uint64_t)pinsight_slot_integer(at + class->plain_time.offset, class->plain_time);
            unsigned bits = 64u - class->plain_time.shift;

            stream->clock = bits == 64 ? time : clock_at(stream->clock, time, bits);
        }
        return at + class->plain_size;
    }
    if (left < size + 12)
        return NULL;
    *id = load32(at + size);
    stream->clock = load64(at + size + 4);
    return at + size + 12;
}

/* Where a text ends whose first byte is at `at`; NULL where it goes beyond `end`. Most are short:
 * eight bytes at a time, of which those behind the file's end can be read, too. */
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

/* Walks over the texts and sequences of an event at `at`, and notes where its segments begin.
 * Returns its end, or NULL where it goes beyond the packet. */
static const unsigned char *walk(struct ctf_stream *stream, const struct ctf_class *class,
                                 const unsigned char *begin) {
    const unsigned char *at = begin, *end = stream->end;

    for (uint32_t i = 0; i < class->step_count; i++) {
        const struct ctf_step *step = &class->steps[i];

        if (step->skip > (size_t)(end - at))
            return NULL;
        at += step->skip;
        if (step->element) {
            uint64_t count = (uint64_t)pinsight_slot_integer(
                begin + stream->bases[step->length.segment] + step->length.offset, step->length);

            if (count > (size_t)(end - at) / step->element)
                return NULL;
            at += count * step->element;
        } else {
            at = text_end(at, end);
            if (!at)
                return NULL;
            at++;
        }
        /* An event is no longer than that. */
        if (at - begin > UINT32_MAX)
            return NULL;
        stream->bases[i + 1] = (uint32_t)(at - begin);
    }
    return class->size <= (size_t)(end - at) ? at + class->size : NULL;
}

/* Where an event whose contexts and fields begin at `at` ends; NULL where it goes beyond the
 * packet.
 */
static inline const unsigned char *
body_end(struct ctf_stream *stream, const struct ctf_class *class, const unsigned char *at) {
    if (class->step_count)
        return walk(stream, class, at);
    return class->size <= (size_t)(stream->end - at) ? at + class->size : NULL;
}

bool ctf_stream_advance(struct pinsight_merge *merge, struct pinsight_stream *base) {
    struct ctf_stream *stream = (struct ctf_stream *)base;
    const struct ctf_stream_class *kind;
    const unsigned char *at, *end;
    struct ctf_class *class = NULL;
    uint64_t id = 0;

    for (;;) {
        while (stream->at == stream->end)
            if (!next_packet(merge, stream))
                return false;
        kind = stream->files[stream->file].class;
        at = read_head(stream, kind, &id);
        if (at && (id >= kind->class_count || !kind->classes[id].event))
            return fail(merge, stream,
                        pinsight_format("the trace does not describe event %" PRIu64, id));
        if (__builtin_expect(stream->clock > stream->limit, 0))
            return end_late(merge, stream);
        class = at ? &kind->classes[id] : NULL;
        end = at ? body_end(stream, class, at) : NULL;
        if (end)
            break;
        if (!end_short(merge, stream))
            return false;
    }
    stream->at = end;
    __builtin_prefetch(end + AHEAD);
    if (!class->binding)
        ctf_class_bind(stream->files[stream->file].trace, kind, class, &merge->bindings);
    base->event.ns =
        class->binding->has_clock ? pinsight_clock_ns(&class->binding->clock, stream->clock) : 0;
    base->event.binding = class->binding;
    base->event.at = at;
    base->event.bases = stream->bases;
    base->rank = !class->binding->definition;
    return true;
}

void ctf_stream_clear(struct ctf_stream *stream) {
    for (size_t i = 0; i < stream->file_count; i++)
        ctf_file_close(&stream->files[i]);
    free(stream->files);
    *stream = (struct ctf_stream){0};
}
