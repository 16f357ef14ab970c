/* The public C API for views, on top of the reader's timeline; see pinsight/view.h. */
#include "pinsight/view.h"

#include "reader/trace.h"
#include "views/slice_text.h"

#include <stdio.h>
#include <string.h>

struct view_reading {
    struct pinsight_view view;
    struct pinsight_model *model;
    struct pinsight_slice_texts texts;
    bool ended; /* a callback ended the reading */
    char thread_name[256], process_name[256];
};

_Static_assert((int)PINSIGHT_VIEW_FUNCTION == (int)PINSIGHT_SLICE_FUNCTION &&
                   (int)PINSIGHT_VIEW_C_CALL == (int)PINSIGHT_SLICE_C_CALL &&
                   (int)PINSIGHT_VIEW_IMPORT == (int)PINSIGHT_SLICE_IMPORT &&
                   (int)PINSIGHT_VIEW_MARKED == (int)PINSIGHT_SLICE_MARKED &&
                   (int)PINSIGHT_VIEW_REGION == (int)PINSIGHT_SLICE_REGION &&
                   (int)PINSIGHT_VIEW_PART == (int)PINSIGHT_SLICE_PART &&
                   (int)PINSIGHT_VIEW_TASK == (int)PINSIGHT_SLICE_TASK &&
                   (int)PINSIGHT_VIEW_WAIT == (int)PINSIGHT_SLICE_WAIT &&
                   (int)PINSIGHT_VIEW_MPI == (int)PINSIGHT_SLICE_MPI &&
                   (int)PINSIGHT_VIEW_MPI + 1 == (int)PINSIGHT_SLICE_DEVICE_CALL &&
                   (int)PINSIGHT_VIEW_WORK == (int)PINSIGHT_SLICE_WORK,
               "the public kinds are those of the timeline");

static struct pinsight_view_thread thread_of(struct view_reading *reading,
                                             const struct pinsight_track *track) {
    const struct pinsight_thread *thread = track->thread;
    const struct pinsight_device_stream *stream = track->stream;
    const struct pinsight_model *model = reading->model;

    if (stream)
        return (struct pinsight_view_thread){
            .number = track->number,
            .pid = stream->process->pid,
            .python_thread = -1,
            .rank = pinsight_track_rank(track),
            .name = pinsight_track_name(model, track, reading->thread_name,
                                        sizeof(reading->thread_name)),
            .process = pinsight_track_process_name(model, stream->process, reading->process_name,
                                                   sizeof(reading->process_name)),
            .is_stream = true,
            .device = stream->device,
            .context = stream->context,
            .stream = stream->number};
    return (struct pinsight_view_thread){
        .number = track->number,
        .tid = thread->tid,
        .pid = thread->process->pid,
        .python_thread = thread->number,
        .rank = pinsight_track_rank(track),
        .name =
            pinsight_track_name(model, track, reading->thread_name, sizeof(reading->thread_name)),
        .process = pinsight_track_process_name(model, thread->process, reading->process_name,
                                               sizeof(reading->process_name))};
}

static int32_t kind_of(const struct pinsight_slice *slice) {
    if (slice->kind >= PINSIGHT_SLICE_GIL)
        return PINSIGHT_VIEW_WAIT;
    if (slice->kind >= PINSIGHT_SLICE_CALL)
        return PINSIGHT_VIEW_CALL;
    return slice->kind == PINSIGHT_SLICE_GC ? PINSIGHT_VIEW_GC : slice->kind;
}

static struct pinsight_view_slice slice_of(struct view_reading *reading,
                                           const struct pinsight_track *track,
                                           const struct pinsight_slice *slice, uint64_t end_ns) {
    const struct pinsight_launch_shape *shape = &slice->shape;
    struct pinsight_slice_text text;

    pinsight_slice_text(&reading->texts, slice, &text);
    return (struct pinsight_view_slice){
        .name = text.name,
        .category = text.category,
        .file = text.file,
        .module = text.module,
        .begin_ns = slice->begin_ns,
        .end_ns = end_ns,
        .bytes = slice->bytes,
        .out = slice->out,
        .in = slice->in,
        .outs = slice->outs,
        .kind = kind_of(slice),
        .line = text.line,
        .peer = slice->peer,
        .tag = slice->tag,
        .depth = (uint32_t)track->depth - 1,
        .resumed = slice->how != PINSIGHT_HOW_START,
        .cut = slice->cut,
        .correlation = slice->correlation,
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .generator = slice->generator};
}

/* Passes a slice to a function of the view, which may be NULL. `ns` is the end, or 0 at the
 * begin. */
static void show(struct view_reading *reading,
                 int (*to)(void *data, const struct pinsight_view_thread *thread,
                           const struct pinsight_view_slice *slice),
                 struct pinsight_track *track, const struct pinsight_slice *slice, uint64_t ns) {
    struct pinsight_view_thread thread;
    struct pinsight_view_slice shown;

    if (!to || reading->ended)
        return;
    thread = thread_of(reading, track);
    shown = slice_of(reading, track, slice, ns);
    reading->ended = to(reading->view.data, &thread, &shown) != 0;
}

static void on_begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    show(data, ((struct view_reading *)data)->view.begin, track, slice, 0);
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    show(data, ((struct view_reading *)data)->view.end, track, slice, ns);
}

static void on_flow(void *data, const struct pinsight_flow *flow) {
    struct view_reading *reading = data;
    struct pinsight_view_link shown = {.number = flow->number,
                                       .from_ns = flow->from_ns,
                                       .to_ns = flow->to_ns,
                                       .bytes = flow->bytes,
                                       .from = flow->from->number,
                                       .to = flow->to->number,
                                       .message = flow->kind == PINSIGHT_FLOW_MESSAGE,
                                       .launch = flow->kind == PINSIGHT_FLOW_LAUNCH};

    if (reading->view.link && !reading->ended)
        reading->ended = reading->view.link(reading->view.data, &shown) != 0;
}

static void on_mark(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    struct view_reading *reading = data;
    struct pinsight_view_thread thread;

    if (!reading->view.mark || reading->ended)
        return;
    thread = thread_of(reading, track);
    reading->ended = reading->view.mark(reading->view.data, &thread, name, ns) != 0;
}

int pinsight_view_read(const char *trace, const struct pinsight_view *view,
                       struct pinsight_view_result *result) {
    struct view_reading reading = {.ended = false};
    struct pinsight_timeline timeline = {
        .data = &reading, .begin = on_begin, .end = on_end, .flow = on_flow, .instant = on_mark};
    const struct trace_observers observers = {.ended = &reading.ended};
    struct pinsight_source_result source = {0};
    int rc;

    memcpy(&reading.view, view, view->size < sizeof(reading.view) ? view->size : sizeof(*view));
    timeline.streams = reading.view.streams;
    reading.model =
        pinsight_model_new(&(struct pinsight_model_options){.thread = -1, .process = -1});
    pinsight_slice_texts_make(&reading.texts, reading.model);
    pinsight_model_show(reading.model, &timeline);
    rc = trace_read(trace, reading.model, &observers, &source);
    reading.ended = true; /* slices that are open after an error are not passed on */
    *result = (struct pinsight_view_result){.events = source.events,
                                            .discarded = source.discarded_events,
                                            .damages = (uint32_t)source.warning_count};
    if (rc != 0)
        snprintf(result->error, sizeof(result->error), "%s", source.error);
    else if (source.warning_count)
        snprintf(result->error, sizeof(result->error), "%s", source.warnings[0]);
    pinsight_model_free(reading.model);
    pinsight_slice_texts_clear(&reading.texts);
    pinsight_source_result_clear(&source);
    return rc;
}
