/* Feeds events into the model: the only place that knows both. */
#ifndef PINSIGHT_READER_INGEST_H
#define PINSIGHT_READER_INGEST_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Takes one event; those that are not PInsight's are passed over. */
void pinsight_ingest(struct pinsight_model *model, const struct pinsight_event *event);

#endif
