/* Names the slices of the timeline; see slice_text.h. */
#include "views/slice_text.h"

#include "base/memory.h"
#include "base/text.h"
#include "reader/kit/native.h"
#include "reader/kit/native_lines.h"
#include "reader/kit/paths.h"
#include "views/domain.h"
#include "views/process_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *string(const struct pinsight_model *model, uint32_t number) {
    return pinsight_strings_text(&model->strings, number);
}

void pinsight_slice_texts_make(struct pinsight_slice_texts *texts,
                               const struct pinsight_model *model) {
    *texts = (struct pinsight_slice_texts){.model = model};
}

void pinsight_slice_texts_clear(struct pinsight_slice_texts *texts) {
    for (size_t i = 0; i < texts->place_count; i++)
        free(texts->places[i]);
    free(texts->places);
    pinsight_native_lines_free(texts->lines);
    *texts = (struct pinsight_slice_texts){0};
}

static char *place_name(struct pinsight_slice_texts *texts, const char *what,
                        const struct pinsight_native_place *native) {
    const char *object = string(texts->model, native->object), *file = "";
    const char *symbol = string(texts->model, native->symbol), *found = NULL;
    int32_t line = 0;

    if (!native->known)
        return pinsight_format("%s at 0x%" PRIx64, what, native->address);
    if (!texts->lines)
        texts->lines = pinsight_native_lines_new(0);
    found = pinsight_native_line(texts->lines, object, native->offset, symbol, &file, &line);
    if (found && *found)
        symbol = found;
    if (*symbol)
        return pinsight_format("%s in %s", what, symbol);
    return pinsight_format("%s in %s+0x%" PRIx64, what, pinsight_text_file(object), native->offset);
}

const char *pinsight_slice_texts_place(struct pinsight_slice_texts *texts, uint32_t number,
                                       const char *what, uint32_t native) {
    texts->places =
        pinsight_reach(texts->places, number, &texts->place_count, sizeof(*texts->places));
    if (!texts->places[number])
        texts->places[number] = place_name(texts, what, &texts->model->natives[native]);
    return texts->places[number];
}

static const char *or_unknown(const char *name) {
    return *name ? name : "?";
}

/* Sets the user's line that native work comes from. */
static void users_line(const struct pinsight_model *model, uint32_t path,
                       struct pinsight_slice_text *text) {
    uint32_t frame = path == PINSIGHT_NONE ? PINSIGHT_NONE : pinsight_path_users_line(model, path);
    const struct pinsight_path *place;

    if (frame == PINSIGHT_NONE)
        return;
    place = &model->paths[frame];
    text->line = place->line;
    if (place->function != PINSIGHT_NONE)
        text->file = string(model, model->functions[place->function].file);
}

void pinsight_slice_text(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    const struct slice_view *view = slice_view_of(slice->kind);

    *text = (struct pinsight_slice_text){
        .name = view->name ? view->name : "", .category = view->category, .file = "", .module = ""};
    if (view->text)
        view->text(texts, slice, text);
    text->name = or_unknown(text->name);
    users_line(texts->model, slice->path, text);
}

/* Names a stream "GPU 0 stream 7", with its context if the device has several. Other names are
 * "ranges", "ranges 2", and "task 12 Task-7". */
static char *stream_name(const struct pinsight_model *model,
                         const struct pinsight_device_stream *stream, char *buffer, size_t size) {
    if (stream->is_task)
        snprintf(buffer, size, "task %" PRIu32 " %s", stream->number, string(model, stream->name));
    else if (stream->is_ranges && stream->number == 0)
        snprintf(buffer, size, "ranges");
    else if (stream->is_ranges)
        snprintf(buffer, size, "ranges %" PRIu32, stream->number + 1);
    else if (stream->other_contexts)
        snprintf(buffer, size, "GPU %" PRIu32 " context %" PRIu32 " stream %" PRIu32,
                 stream->device, stream->context, stream->number);
    else
        snprintf(buffer, size, "GPU %" PRIu32 " stream %" PRIu32, stream->device, stream->number);
    return buffer;
}

char *pinsight_track_name(const struct pinsight_model *model, const struct pinsight_track *track,
                          char *buffer, size_t size) {
    const struct pinsight_thread *thread = track->thread;
    enum reader_domain_number domain;
    const char *name;
    int64_t number;

    if (!thread)
        return stream_name(model, track->stream, buffer, size);
    name = string(model, thread->name);
    if (*name)
        snprintf(buffer, size, "%s", name);
    else if (thread->number >= 0)
        snprintf(buffer, size, "thread %" PRId64, thread->number);
    else if ((number = view_thread_number(thread, &domain)) >= 0)
        snprintf(buffer, size, "%s thread %" PRId64, reader_domains[domain]->name, number);
    else
        snprintf(buffer, size, "thread %" PRIu32, thread->tid);
    return buffer;
}

struct pinsight_row_place pinsight_row_place_of(const struct pinsight_track *track) {
    const struct pinsight_device_stream *stream = track->stream;
    const struct pinsight_thread *thread = track->thread;

    if (stream && !stream->is_ranges)
        return (struct pinsight_row_place){.pid = stream->process->pid,
                                           .python_thread = -1,
                                           .device = stream->device,
                                           .context = stream->context,
                                           .stream = stream->number};
    return (struct pinsight_row_place){.pid = pinsight_track_process(track)->pid,
                                       .python_thread = thread ? thread->number : -1,
                                       .device = -1,
                                       .context = -1,
                                       .stream = -1,
                                       .tid = thread ? thread->tid : 0};
}

int32_t pinsight_track_rank(const struct pinsight_track *track) {
    return (int32_t)view_process_rank(pinsight_track_process(track));
}

char *pinsight_track_process_name(const struct pinsight_model *model,
                                  const struct pinsight_process *process, char *buffer,
                                  size_t size) {
    char *name = view_process_full_name(process);

    (void)model;
    snprintf(buffer, size, "%s", name);
    free(name);
    return buffer;
}
