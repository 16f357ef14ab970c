/* Passes events to their domains, which feed them into the model. */
#include "reader/ingest.h"

#include "reader/domain.h"

void pinsight_ingest(struct pinsight_model *model, const struct pinsight_event *event) {
    if (event->binding->domain)
        event->binding->domain->ingest(model, event);
}
