/*
 * The tables of single slices, messages, marks and readings of memory; see data.h.
 *
 * A row is made when its slice ends. Names are looked up once a batch for each function and call
 * site, because a name may become known later.
 */
#include "base/memory.h"
#include "base/ranks.h"
#include "reader/timeline.h"
#include "views/data/batch.h"
#include "views/data/data.h"
#include "views/domain.h"
#include "views/slice_text.h"

#include <stdlib.h>

/* The texts of a function or call site, as numbers in the dictionaries of a batch. */
struct known_code {
    uint32_t batch; /* number of the batch; 0 if nothing is known */
    uint32_t category, name, module, file;
    int32_t line;
    bool wanted;
};

/* The place of a track's rows. */
struct known_track {
    uint32_t batch;
    int32_t rank;
    uint32_t process;
    bool wanted; /* by its rank */
    struct pinsight_row_place place;
};

/* The kinds of code that have few numbers and many slices. */
enum { FUNCTIONS, SITES, CODES };

struct data_reading {
    const struct pinsight_data_options *options;
    struct pinsight_data_batch *batch;
    struct pinsight_model *model;
    struct pinsight_slice_texts texts;
    struct pinsight_timeline timeline;
    bool kinds[PINSIGHT_SLICE_KINDS];  /* the kinds of slices in the table */
    uint32_t columns[PINSIGHT_FIELDS]; /* of texts, by field; PINSIGHT_NONE if there is none */
    struct known_code *codes[CODES];
    size_t code_count[CODES];
    struct known_track *tracks;
    size_t track_count;
};

/* Returns whether a slice of a kind is in a table. */
static bool has_kind(enum pinsight_data_table_number table, unsigned kind) {
    const bool task =
        kind == PINSIGHT_SLICE_STEP || kind == PINSIGHT_SLICE_AWAIT || kind == PINSIGHT_SLICE_READY;

    switch (table) {
    case PINSIGHT_DATA_CALLS:
        return kind == PINSIGHT_SLICE_FUNCTION || kind == PINSIGHT_SLICE_C_CALL ||
               kind == PINSIGHT_SLICE_IMPORT || kind == PINSIGHT_SLICE_MPI ||
               kind == PINSIGHT_SLICE_DEVICE_CALL ||
               (kind >= PINSIGHT_SLICE_CALL && kind < PINSIGHT_SLICE_GIL);
    case PINSIGHT_DATA_SLICES:
        return !task;
    case PINSIGHT_DATA_REGIONS:
        return kind == PINSIGHT_SLICE_MARKED || kind == PINSIGHT_SLICE_REGION ||
               kind == PINSIGHT_SLICE_PART;
    case PINSIGHT_DATA_WAITS:
        return kind == PINSIGHT_SLICE_WAIT || kind == PINSIGHT_SLICE_GIL ||
               kind == PINSIGHT_SLICE_LOCK;
    case PINSIGHT_DATA_TASKS:
        return task;
    case PINSIGHT_DATA_KERNELS:
        return kind == PINSIGHT_SLICE_WORK;
    default:
        return false;
    }
}

static bool is_in_time(const struct data_reading *reading, uint64_t begin_ns, uint64_t end_ns) {
    return (int64_t)begin_ns < reading->options->to_ns &&
           (int64_t)end_ns >= reading->options->from_ns;
}

/* Returns the place of a track. It is looked up once a batch, because it may become known later. */
static const struct known_track *track_of(struct data_reading *reading,
                                          const struct pinsight_track *track) {
    struct known_track *known;

    reading->tracks = pinsight_reach(reading->tracks, track->number, &reading->track_count,
                                     sizeof(*reading->tracks));
    known = &reading->tracks[track->number];
    if (known->batch == reading->batch->number && known->batch)
        return known;
    *known = (struct known_track){.batch = reading->batch->number,
                                  .rank = pinsight_track_rank(track),
                                  .process = pinsight_track_process(track)->index,
                                  .place = pinsight_row_place_of(track)};
    known->wanted =
        !reading->options->ranks || pinsight_ranks_have(reading->options->ranks, known->rank);
    return known;
}

static uint32_t word(struct data_reading *reading, enum pinsight_data_field field,
                     const char *text) {
    uint32_t column = reading->columns[field];

    return column == PINSIGHT_NONE ? 0 : pinsight_data_word(reading->batch, column, text);
}

static void look_up(struct data_reading *reading, const struct pinsight_slice *slice,
                    struct known_code *code) {
    struct pinsight_slice_text text;

    pinsight_slice_text(&reading->texts, slice, &text);
    *code =
        (struct known_code){.batch = reading->batch->number,
                            .line = text.line,
                            .wanted = pinsight_data_has_function(reading->options, text.name) != 0};
    if (!code->wanted)
        return;
    code->category = word(reading, PINSIGHT_FIELD_CATEGORY, text.category);
    code->name = word(reading, PINSIGHT_FIELD_NAME, text.name);
    code->module = word(reading, PINSIGHT_FIELD_MODULE, text.module);
    code->file = word(reading, PINSIGHT_FIELD_FILE, text.file);
}

/* Returns the texts of a slice, in `room` or from a slice of the same function or site before. */
static const struct known_code *
code_of(struct data_reading *reading, const struct pinsight_slice *slice, struct known_code *room) {
    const int which = slice->kind == PINSIGHT_SLICE_FUNCTION ? FUNCTIONS : SITES;
    struct known_code *known;

    if ((slice->kind != PINSIGHT_SLICE_FUNCTION && slice->kind != PINSIGHT_SLICE_C_CALL) ||
        slice->path != PINSIGHT_NONE || slice->id == PINSIGHT_NONE) {
        look_up(reading, slice, room);
        return room;
    }
    reading->codes[which] = pinsight_reach(reading->codes[which], slice->id,
                                           &reading->code_count[which], sizeof(*known));
    known = &reading->codes[which][slice->id];
    if (known->batch != reading->batch->number)
        look_up(reading, slice, known);
    return known;
}

int64_t pinsight_data_number(enum pinsight_data_field field, const struct pinsight_track *track,
                             const struct pinsight_row_place *place,
                             const struct pinsight_slice *slice, uint64_t ns) {
    switch (field) {
    case PINSIGHT_FIELD_PROCESS:
        return pinsight_track_process(track)->index;
    case PINSIGHT_FIELD_PID:
        return place->pid;
    case PINSIGHT_FIELD_TID:
        return place->tid;
    case PINSIGHT_FIELD_PYTHON_THREAD:
        return place->python_thread;
    case PINSIGHT_FIELD_DEPTH:
        return (int64_t)track->depth - 1;
    case PINSIGHT_FIELD_BEGIN:
        return (int64_t)slice->begin_ns;
    case PINSIGHT_FIELD_DURATION:
        return (int64_t)(ns - slice->begin_ns);
    case PINSIGHT_FIELD_SELF:
        return (int64_t)slice->self_ns;
    case PINSIGHT_FIELD_RESUMED:
        return slice->how != PINSIGHT_HOW_START;
    case PINSIGHT_FIELD_CUT:
        return slice->cut;
    case PINSIGHT_FIELD_BYTES:
        return (int64_t)slice->bytes;
    case PINSIGHT_FIELD_PEER:
        return slice->peer;
    case PINSIGHT_FIELD_TAG:
        return slice->tag;
    case PINSIGHT_FIELD_DEVICE:
        return place->device;
    case PINSIGHT_FIELD_CONTEXT:
        return place->context;
    case PINSIGHT_FIELD_STREAM:
        return place->stream;
    case PINSIGHT_FIELD_CORRELATION:
        return slice->correlation;
    case PINSIGHT_FIELD_GENERATOR:
        return slice->generator;
    case PINSIGHT_FIELD_GRID_X:
    case PINSIGHT_FIELD_GRID_Y:
    case PINSIGHT_FIELD_GRID_Z:
        return slice->shape.grid[field - PINSIGHT_FIELD_GRID_X];
    case PINSIGHT_FIELD_BLOCK_X:
    case PINSIGHT_FIELD_BLOCK_Y:
    case PINSIGHT_FIELD_BLOCK_Z:
        return slice->shape.block[field - PINSIGHT_FIELD_BLOCK_X];
    case PINSIGHT_FIELD_TASK:
        return track->stream ? (int64_t)track->stream->number : -1;
    default:
        return 0;
    }
}

static int64_t value_of(const struct data_reading *reading, enum pinsight_data_field field,
                        const struct pinsight_track *track, const struct known_track *known,
                        const struct pinsight_slice *slice, const struct known_code *code,
                        uint64_t ns) {
    switch (field) {
    case PINSIGHT_FIELD_RANK:
        return known->rank;
    case PINSIGHT_FIELD_CATEGORY:
        return code->category;
    case PINSIGHT_FIELD_NAME:
        return code->name;
    case PINSIGHT_FIELD_MODULE:
        return code->module;
    case PINSIGHT_FIELD_FILE:
        return code->file;
    case PINSIGHT_FIELD_LINE:
        return code->line;
    case PINSIGHT_FIELD_TASK_NAME:
        return pinsight_data_word(
            reading->batch, reading->columns[PINSIGHT_FIELD_TASK_NAME],
            track->stream ? pinsight_strings_text(&reading->model->strings, track->stream->name)
                          : "");
    default:
        return pinsight_data_number(field, track, &known->place, slice, ns);
    }
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct data_reading *reading = data;
    struct pinsight_data_batch *batch = reading->batch;
    const struct pinsight_data_table *table = batch->table;
    const struct known_track *known;
    const struct known_code *code;
    struct known_code room;

    if (!reading->kinds[slice->kind] || !is_in_time(reading, slice->begin_ns, ns) ||
        !pinsight_data_row(batch))
        return;
    known = track_of(reading, track);
    if (!known->wanted)
        return;
    code = code_of(reading, slice, &room);
    if (!code->wanted)
        return;
    for (uint32_t i = 0; i < table->column_count; i++)
        pinsight_data_set(
            batch, i, value_of(reading, table->columns[i].field, track, known, slice, code, ns));
    pinsight_data_row_end(batch);
}

static void on_message(void *data, const struct pinsight_flow *flow) {
    struct data_reading *reading = data;
    struct pinsight_data_batch *batch = reading->batch;
    const struct pinsight_track *const tracks[] = {flow->from, flow->to};
    bool wanted = false;

    if (flow->kind != PINSIGHT_FLOW_MESSAGE || !is_in_time(reading, flow->from_ns, flow->to_ns) ||
        !pinsight_data_row(batch))
        return;
    for (int i = 0; i < 2; i++)
        wanted = track_of(reading, tracks[i])->wanted || wanted;
    if (!wanted)
        return;
    for (int i = 0; i < 2; i++) {
        const struct known_track *known = track_of(reading, tracks[i]);

        pinsight_data_add(batch, known->process);
        pinsight_data_add(batch, known->rank);
        pinsight_data_add(batch, known->place.tid);
    }
    pinsight_data_add(batch, (int64_t)flow->from_ns);
    pinsight_data_add(batch, (int64_t)flow->to_ns);
    pinsight_data_add(batch, (int64_t)flow->bytes);
    pinsight_data_row_end(batch);
}

static void on_mark(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    struct data_reading *reading = data;
    struct pinsight_data_batch *batch = reading->batch;
    const struct known_track *known;

    if (!is_in_time(reading, ns, ns) || !pinsight_data_row(batch))
        return;
    known = track_of(reading, track);
    if (!known->wanted)
        return;
    pinsight_data_add(batch, known->process);
    pinsight_data_add(batch, known->rank);
    pinsight_data_add(batch, known->place.pid);
    pinsight_data_add(batch, known->place.tid);
    pinsight_data_add(batch, known->place.python_thread);
    pinsight_data_add_text(batch, name);
    pinsight_data_add(batch, (int64_t)ns);
    pinsight_data_row_end(batch);
}

static void on_memory(void *data, const struct pinsight_process *process, uint64_t bytes,
                      uint64_t ns) {
    struct data_reading *reading = data;
    struct pinsight_data_batch *batch = reading->batch;
    const char *ranks = reading->options->ranks;
    const int64_t rank = view_process_rank(process);

    if (!is_in_time(reading, ns, ns) || (ranks && !pinsight_ranks_have(ranks, rank)) ||
        !pinsight_data_row(batch))
        return;
    pinsight_data_add(batch, process->index);
    pinsight_data_add(batch, rank);
    pinsight_data_add(batch, process->pid);
    pinsight_data_add(batch, (int64_t)bytes);
    pinsight_data_add(batch, (int64_t)ns);
    pinsight_data_row_end(batch);
}

/* Returns whether a table's rows of a time are complete soon after that time. Other tables have
 * rows that the trace reports late, such as messages and the work of devices. */
static bool ends_early(const struct pinsight_data_options *options) {
    return options->to_ns != INT64_MAX &&
           (options->table == PINSIGHT_DATA_CALLS || options->table == PINSIGHT_DATA_REGIONS ||
            options->table == PINSIGHT_DATA_MARKS || options->table == PINSIGHT_DATA_MEMORY);
}

/* Returns whether a slice of a track that begins before the end of the filter's time is open, and
 * will be a row. Looks names up without the batch's dictionaries, which may be those of a batch
 * that was sent. */
static bool has_open_row(struct data_reading *reading, const struct pinsight_track *track) {
    const char *ranks = reading->options->ranks;
    struct pinsight_slice_text text;

    if (!track || !track->depth ||
        (ranks && !pinsight_ranks_have(ranks, pinsight_track_rank(track))))
        return false;
    for (size_t i = 0; i < track->depth; i++) {
        const struct pinsight_slice *slice = &track->slices[i];

        if ((int64_t)slice->begin_ns >= reading->options->to_ns || !reading->kinds[slice->kind])
            continue;
        pinsight_slice_text(&reading->texts, slice, &text);
        if (pinsight_data_has_function(reading->options, text.name))
            return true;
    }
    return false;
}

/* Returns whether the time of the filter has passed, and no row of that time is still open. Events
 * come in the order of time. */
static bool is_past(void *data) {
    struct data_reading *reading = data;
    const struct pinsight_model *model = reading->model;
    uint64_t now_ns = 0;

    for (size_t i = 0; i < model->process_count; i++)
        if (model->processes[i]->last_ns > now_ns)
            now_ns = model->processes[i]->last_ns;
    if ((int64_t)now_ns <= reading->options->to_ns)
        return false;
    for (size_t i = 0; i < model->process_count; i++)
        for (size_t t = 0; t < model->processes[i]->thread_count; t++)
            if (has_open_row(reading, model->processes[i]->thread_list[t]->track))
                return false;
    return true;
}

/* Makes the timeline of a table. */
static void make_timeline(struct data_reading *reading) {
    enum pinsight_data_table_number number = reading->options->table;
    struct pinsight_timeline *timeline = &reading->timeline;
    const struct pinsight_data_table *table = reading->batch->table;

    for (unsigned kind = 0; kind < PINSIGHT_SLICE_KINDS; kind++)
        reading->kinds[kind] = has_kind(number, kind);
    for (size_t i = 0; i < PINSIGHT_FIELDS; i++)
        reading->columns[i] = PINSIGHT_NONE;
    for (uint32_t i = 0; i < table->column_count; i++)
        reading->columns[table->columns[i].field] = i;
    *timeline = (struct pinsight_timeline){.data = reading, .any_order = true};
    timeline->streams = number == PINSIGHT_DATA_SLICES || number == PINSIGHT_DATA_KERNELS;
    timeline->ranges = number == PINSIGHT_DATA_SLICES;
    timeline->tasks = number == PINSIGHT_DATA_TASKS;
    if (number == PINSIGHT_DATA_MESSAGES)
        timeline->flow = on_message;
    else if (number == PINSIGHT_DATA_MARKS)
        timeline->instant = on_mark;
    else if (number == PINSIGHT_DATA_MEMORY)
        timeline->memory = on_memory;
    else
        timeline->end = on_end;
}

char *pinsight_data_slices(const struct pinsight_data_options *options,
                           struct pinsight_data_batch *batch) {
    const struct pinsight_model_options wanted = {.thread = options->thread,
                                                  .process = options->process};
    struct data_reading reading = {.options = options, .batch = batch};
    char *error;

    make_timeline(&reading);
    reading.model = pinsight_model_new(&wanted);
    pinsight_slice_texts_make(&reading.texts, reading.model);
    pinsight_model_show(reading.model, &reading.timeline);
    error = pinsight_data_read(options, reading.model, batch, ends_early(options) ? is_past : NULL,
                               &reading);
    reading.timeline.end = NULL; /* slices that are still open after an error are no rows */
    pinsight_model_free(reading.model);
    pinsight_slice_texts_clear(&reading.texts);
    PINSIGHT_FREE(reading.codes[FUNCTIONS], reading.codes[SITES], reading.tracks);
    return error;
}
