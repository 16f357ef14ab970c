/* Feeds events into the model: the only place that knows both. */
#ifndef PINSIGHT_READER_INGEST_H
#define PINSIGHT_READER_INGEST_H

#include "reader/event.h"
#include "reader/model.h"

/* Takes one event; those that are not PInsight's are passed over. */
void pinsight_ingest(struct pinsight_model *model, const struct pinsight_event *event);

/* The Python function, C call site or thread that an event is about, as the model has it now. For
 * views that print single events. Each may be PINSIGHT_NONE or NULL. */
struct pinsight_subject {
    struct pinsight_thread *thread;
    struct pinsight_process *process;
    uint32_t function;
    uint32_t callee;
    int32_t line; /* of a C call */
    int how;      /* -1 where the event has none */
};
struct pinsight_subject pinsight_ingest_subject(struct pinsight_model *model,
                                                const struct pinsight_event *event);

#endif
