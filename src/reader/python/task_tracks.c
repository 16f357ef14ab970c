/* Tracks of tasks; see task_tracks.h. */
#include "reader/python/task_tracks.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/python/gil.h"
#include "reader/timeline.h"

#include <stdlib.h>

static struct pinsight_track *track_of(struct pinsight_model *model, struct pinsight_task *task) {
    struct pinsight_python_tasks *tasks = &pinsight_python_of(model)->tasks;
    struct pinsight_device_stream *stream = task->stream;

    if (stream)
        return stream->track;
    if (!model->timeline || !model->timeline->tasks || tasks->track_count == PINSIGHT_TASK_TRACKS)
        return NULL;
    stream = pinsight_calloc(1, sizeof(*stream));
    *stream = (struct pinsight_device_stream){.process = model->processes[task->process->index],
                                              .number = task->number,
                                              .name = task->name,
                                              .is_ranges = true,
                                              .is_task = true};
    *PINSIGHT_ADD(tasks->tracks, tasks->track_count, tasks->track_capacity) = task->stream = stream;
    return pinsight_stream_track(stream);
}

void pinsight_task_track(struct pinsight_model *model, struct pinsight_task *task,
                         enum pinsight_slice_kind kind, uint64_t from_ns, uint64_t to_ns) {
    struct pinsight_track *track = from_ns < to_ns ? track_of(model, task) : NULL;
    struct pinsight_slice slice = pinsight_slice_of(kind, PINSIGHT_NONE, 0);

    if (!track)
        return;
    if (kind == PINSIGHT_SLICE_STEP)
        slice.id = task->coroutine;
    else if (kind == PINSIGHT_SLICE_AWAIT && task->waits != PINSIGHT_NONE)
        slice.id = model->paths[task->waits].function;
    slice.path = kind == PINSIGHT_SLICE_AWAIT ? task->waits : PINSIGHT_NONE;
    pinsight_track_push(track, &slice, from_ns);
    pinsight_track_pop(track, to_ns);
}

void pinsight_task_tracks_free(struct pinsight_python_tasks *tasks) {
    for (size_t i = 0; i < tasks->track_count; i++) {
        pinsight_stream_track_free(tasks->tracks[i]);
        free(tasks->tracks[i]);
    }
    free(tasks->tracks);
}
