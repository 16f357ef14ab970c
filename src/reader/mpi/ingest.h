/* From the events of MPI to the model. */
#ifndef PINSIGHT_READER_MPI_INGEST_H
#define PINSIGHT_READER_MPI_INGEST_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Takes any event of the domain MPI. */
void pinsight_ingest_mpi(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread of an event of MPI; NULL of its definitions. */
struct pinsight_thread *pinsight_mpi_event_thread(struct pinsight_model *model,
                                                  const struct pinsight_event *event);

#endif
