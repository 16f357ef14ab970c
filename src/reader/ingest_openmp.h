/* From the events of OpenMP to the model. */
#ifndef PINSIGHT_READER_INGEST_OPENMP_H
#define PINSIGHT_READER_INGEST_OPENMP_H

#include "reader/event.h"
#include "reader/model.h"

/* Takes any event of the domain OpenMP. */
void pinsight_ingest_openmp(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread of an event of OpenMP, but for its definitions. */
struct pinsight_thread *pinsight_openmp_event_thread(struct pinsight_model *model,
                                                     const struct pinsight_event *event);

#endif
