/* Feeds events into the model. Only this part knows both. */
#ifndef PINSIGHT_READER_INGEST_H
#define PINSIGHT_READER_INGEST_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Takes an event. Ignores events of others than PInsight. */
void pinsight_ingest(struct pinsight_model *model, const struct pinsight_event *event);

#endif
