/* Python's events with numbers, one or a run of them: most events of a trace are. */
#ifndef PINSIGHT_READER_PYTHON_RUN_H
#define PINSIGHT_READER_PYTHON_RUN_H

#include "reader/ctf/run.h"
#include "reader/model.h"

/* Takes one of them. */
void pinsight_python_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Python's functions of struct reader_domain. */
void pinsight_python_bind(struct pinsight_binding *binding, bool fixed);
size_t pinsight_python_take_run(struct pinsight_model *model, const struct pinsight_run *run);

/* What an event with numbers does: it begins or ends a call, or says that one is open. That begins
 * it where it was not known, and is PINSIGHT_EVENT_UNKNOWN where it was. To be asked before the
 * model takes the event. */
enum pinsight_event_id pinsight_python_meaning(struct pinsight_thread *thread,
                                               const struct pinsight_event *event);

#endif
