/* Streams; see stream.h. */
#include "reader/ctf/stream.h"

#include "base/memory.h"

#include <stdlib.h>

static const uint32_t no_segments[CTF_MOST_SEGMENTS + 1];

static void fail(struct pinsight_merge *merge, struct ctf_stream *stream) {
    char *name = ctf_shown_path(stream->files[stream->file].path);

    pinsight_stream_fail(merge, &stream->base, name, stream->batch->cause);
    stream->batch->cause = NULL;
    free(name);
}

/* Notes the end of the packet whose events were read. */
static void end_packet(struct pinsight_merge *merge, struct ctf_stream *stream) {
    const struct ctf_file *file = &stream->files[stream->file];
    uint64_t end = ctf_file_number(file, stream->packet, file->class->end);

    stream->in_packet = false;
    if (!file->trace->has_clock || !file->class->end.there)
        return;
    stream->end_ns = pinsight_clock_ns(&file->trace->clock, end);
    if (!stream->base.earlier)
        pinsight_stream_until(merge, stream->end_ns);
}

/* Notes packets that are missing before the present one, by their sequence numbers. The file
 * recorder skips only packets that it could not write, whose events it counts. */
static void note_gap(struct pinsight_merge *merge, struct ctf_stream *stream, uint64_t count,
                     bool is_counted) {
    const struct ctf_file *file = &stream->files[stream->file];
    uint64_t begin = ctf_file_number(file, stream->packet, file->class->begin);
    char *name;

    if (!stream->is_ours)
        pinsight_stream_overwritten(merge, &stream->base, true, count);
    if (!stream->is_ours || is_counted)
        return;
    /* The process's first count may be among the missing events. */
    if (!stream->has_first && stream->base.event.account)
        stream->base.event.account->unclear = true;
    name = ctf_shown_path(file->path);
    ctf_gaps_add(
        &stream->gaps, merge->result, name,
        &(struct pinsight_gap){.packets = count,
                               .from_ns = stream->end_ns,
                               .until_ns = file->trace->has_clock && begin
                                               ? pinsight_clock_ns(&file->trace->clock, begin)
                                               : 0});
    free(name);
}

/* Notes the packets that are missing behind all others of the stream. Returns whether their number
 * is known, which may be 0. */
static bool note_end(struct ctf_stream *stream, const char *name,
                     struct pinsight_source_result *result) {
    const struct ctf_file *file = &stream->files[stream->file_count - 1];

    if (!file->noted || !stream->is_ours || stream->base.earlier || file->whole_size != file->size)
        return false;
    if (file->noted > file->packets)
        ctf_gaps_add(&stream->gaps, result, name,
                     &(struct pinsight_gap){
                         .packets = file->noted - file->packets,
                         .from_ns = stream->over && !stream->base.failed ? stream->end_ns : 0});
    return true;
}

void ctf_stream_warn_of_gaps(struct ctf_stream *stream, struct pinsight_source_result *result) {
    struct ctf_file_end end = {.end_ns = stream->over && !stream->base.failed ? stream->end_ns : 0};
    char *name = ctf_shown_path(stream->files[0].path);

    for (size_t i = 0; i < stream->file_count && !stream->base.earlier; i++) {
        end.lacking_bytes += stream->files[i].lacking;
        if (stream->files[i].largest > end.largest_bytes)
            end.largest_bytes = stream->files[i].largest;
    }
    end.is_known = note_end(stream, name, result);
    ctf_gaps_warn(&stream->gaps, &end, name, result);
    free(name);
}

/* Notes the counts in a packet's head. */
static void note_counts(struct pinsight_merge *merge, struct ctf_stream *stream) {
    const struct ctf_file *file = &stream->files[stream->file];
    uint64_t sequence = ctf_file_number(file, stream->packet, file->class->sequence);
    uint64_t discarded = ctf_file_number(file, stream->packet, file->class->discarded);

    if (stream->base.earlier) {
        /* Its losses do not matter. */
    } else if (!stream->has_first) {
        if (stream->is_whole && sequence) {
            note_gap(merge, stream, sequence, discarded);
            sequence = 0;
        }
        pinsight_stream_first(merge, &stream->base, file->path,
                              (struct pinsight_packets){.is_known = true,
                                                        .first_sequence = sequence,
                                                        .first_discarded = discarded,
                                                        .instance = file->instance});
    } else {
        bool discards = file->class->discarded.there && discarded != stream->discarded;
        if (discards)
            pinsight_stream_discards(merge, &stream->base, discarded - stream->discarded);
        if (file->class->sequence.there && sequence > stream->sequence + 1)
            note_gap(merge, stream, sequence - stream->sequence - 1, discards);
    }
    stream->has_first = true;
    stream->sequence = ctf_file_number(file, stream->packet, file->class->sequence);
    stream->discarded = discarded;
}

static void begin_packet(struct pinsight_merge *merge, struct ctf_stream *stream) {
    const struct ctf_batch *batch = stream->batch;

    for (; stream->file != batch->file; stream->file++) {
        ctf_file_release(&stream->files[stream->file], &stream->released,
                         stream->files[stream->file].size);
        stream->released = 0;
    }
    stream->packet = batch->packet;
    ctf_file_release(&stream->files[stream->file], &stream->released, stream->packet);
    stream->in_packet = true;
    stream->base.event.packet = stream->files[stream->file].data + stream->packet;
    note_counts(merge, stream);
}

/* Handles the end of a batch. Returns false at the end of the stream. */
static bool end_batch(struct pinsight_merge *merge, struct ctf_stream *stream) {
    struct ctf_batch *batch = stream->batch;

    if (batch->outcome == CTF_GOES_ON)
        return true;
    if (batch->outcome == CTF_FAILED)
        fail(merge, stream);
    else if (batch->outcome == CTF_LATE)
        end_packet(merge, stream);
    stream->batch = NULL;
    stream->over = true;
    return false;
}

void ctf_stream_start(struct ctf_stream *stream, size_t batch) {
    stream->lane.cursor.files = stream->files;
    stream->lane.cursor.file_count = stream->file_count;
    stream->lane.cursor.limit = stream->limit;
    stream->lane.capacity = batch > CTF_LEAST_BATCH ? batch : CTF_LEAST_BATCH;
}

/* Advances to the next batch. Returns false at the end of the stream. */
__attribute__((noinline, cold)) static bool next_batch(struct pinsight_merge *merge,
                                                       struct ctf_stream *stream) {
    struct ctf_batch *batch;

    if (stream->over || (stream->batch && !end_batch(merge, stream)))
        return false;
    batch = stream->batch = ctf_lane_next(&stream->lane);
    stream->next = stream->merge_limit = 0;
    stream->bases = batch->bases;
    if (batch->leaves && stream->in_packet)
        end_packet(merge, stream);
    if (batch->begins)
        begin_packet(merge, stream);
    else
        stream->file = batch->file;
    return true;
}

bool ctf_stream_advance(struct pinsight_merge *merge, struct pinsight_stream *base) {
    struct ctf_stream *stream = (struct ctf_stream *)base;
    const struct pinsight_record *record;
    const struct ctf_batch *batch;
    const struct ctf_class *class;

    while (!stream->batch || stream->next == stream->batch->count)
        if (!next_batch(merge, stream))
            return false;
    batch = stream->batch;
    record = &batch->records[stream->next++];
    class = &batch->class->classes[record->class];
    if (!batch->class->bindings[record->class])
        ctf_class_bind(stream->files[stream->file].trace, batch->class, record->class,
                       &merge->bindings);
    base->event.ns = record->ns;
    base->event.binding = batch->class->bindings[record->class];
    base->event.at = batch->bytes + record->at;
    base->event.bases = no_segments;
    if (class->step_count) {
        base->event.bases = stream->bases;
        stream->bases += class->step_count + 1;
    }
    base->rank = !base->event.binding->definition;
    return true;
}

void ctf_stream_run(struct pinsight_stream *base, struct pinsight_run *run) {
    const struct ctf_stream *stream = (const struct ctf_stream *)base;
    const struct ctf_batch *batch = stream->batch;

    run->records = &batch->records[stream->next - 1];
    run->count = batch->count - (stream->next - 1);
    run->bindings = (const struct pinsight_binding *const *)batch->class->bindings;
    run->bytes = batch->bytes;
    run->first = &base->event;
    run->owner = &base->owner;
}

void ctf_stream_skip(struct pinsight_stream *base, size_t count) {
    ((struct ctf_stream *)base)->next += count;
}

uint64_t ctf_stream_limit(struct pinsight_stream *base) {
    struct ctf_stream *stream = (struct ctf_stream *)base;
    const struct ctf_batch *batch = stream->batch;
    struct pinsight_binding *const *bindings = batch->class->bindings;
    size_t at = stream->merge_limit;

    if (at < stream->next - 1)
        at = stream->next - 1;
    while (at + 1 < batch->count) {
        const struct pinsight_binding *binding = bindings[batch->records[at].class];

        if (!binding || !binding->commutes)
            break;
        at++;
    }
    stream->merge_limit = at;
    return batch->records[at].ns;
}

void ctf_stream_clear(struct ctf_stream *stream) {
    ctf_lane_clear(&stream->lane);
    for (size_t i = 0; i < stream->file_count; i++)
        ctf_file_close(&stream->files[i]);
    free(stream->files);
    *stream = (struct ctf_stream){0};
}
