/* Tasks of event loops along the run: each of the first ones has a track of its own, with its steps
 * and what it waited for in between. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_TASK_TRACKS_H
#define PINSIGHT_READER_PYTHON_TASK_TRACKS_H

#include "reader/python/tasks.h"
#include "reader/stack.h"

/* So many tasks of a trace have one. */
#define PINSIGHT_TASK_TRACKS 1000u

/* A task did something from one time to another: PINSIGHT_SLICE_STEP, _AWAIT or _READY. Nothing
 * where no view asks for it. */
void pinsight_task_track(struct pinsight_model *model, struct pinsight_task *task,
                         enum pinsight_slice_kind kind, uint64_t from_ns, uint64_t to_ns);

void pinsight_task_tracks_free(struct pinsight_python_tasks *tasks);

#endif
