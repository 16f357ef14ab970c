/* Feeds events of control into the model: domains, modes, configurations, windows, introspections.
 */
#ifndef PINSIGHT_READER_INGEST_CONTROL_H
#define PINSIGHT_READER_INGEST_CONTROL_H

#include "reader/event.h"
#include "reader/model.h"

/* Takes one event; others are passed over. */
void pinsight_ingest_control(struct pinsight_model *model, const struct pinsight_event *event);

#endif
