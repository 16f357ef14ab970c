/* Tasks of event loops over the run. Each of the first ones has a track of its own, with its steps
 * and waits. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_TASK_TRACKS_H
#define PINSIGHT_READER_PYTHON_TASK_TRACKS_H

#include "reader/python/tasks.h"
#include "reader/stack.h"

/* The most tasks of a trace that have a track. */
#define PINSIGHT_TASK_TRACKS 1000u

/* Shows a time of a task: PINSIGHT_SLICE_STEP, _AWAIT or _READY. Does nothing if no view asks for
 * it. */
void pinsight_task_track(struct pinsight_model *model, struct pinsight_task *task,
                         enum pinsight_slice_kind kind, uint64_t from_ns, uint64_t to_ns);

void pinsight_task_tracks_free(struct pinsight_python_tasks *tasks);

#endif
