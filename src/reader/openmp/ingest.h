/* From the events of OpenMP to the model. */
#ifndef PINSIGHT_READER_OPENMP_INGEST_H
#define PINSIGHT_READER_OPENMP_INGEST_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Takes any event of the domain OpenMP. */
void pinsight_ingest_openmp(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread of an event of OpenMP; NULL of its definitions. */
struct pinsight_thread *pinsight_openmp_event_thread(struct pinsight_model *model,
                                                     const struct pinsight_event *event);

#endif
