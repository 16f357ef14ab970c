/* Events with numbers of Python, single or in runs. Most events of a trace are such. */
#ifndef PINSIGHT_READER_PYTHON_RUN_H
#define PINSIGHT_READER_PYTHON_RUN_H

#include "reader/ctf/run.h"
#include "reader/model.h"

/* Takes one of these events. */
void pinsight_python_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Functions for Python's struct reader_domain. */
void pinsight_python_bind(struct pinsight_binding *binding, bool fixed);
size_t pinsight_python_take_run(struct pinsight_model *model, const struct pinsight_run *run);

/* Returns the meaning of an event with numbers. Such an event begins or ends a call, or reports an
 * open call. The latter begins the call if it was unknown, and is PINSIGHT_EVENT_UNKNOWN otherwise.
 * Called before the model takes the event. */
enum pinsight_event_id pinsight_python_meaning(struct pinsight_thread *thread,
                                               const struct pinsight_event *event);

#endif
