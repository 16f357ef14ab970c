/* From the events of MPI to the model. */
#ifndef PINSIGHT_READER_INGEST_MPI_H
#define PINSIGHT_READER_INGEST_MPI_H

#include "reader/event.h"
#include "reader/model.h"

/* Whether an event is of the domain MPI; and whether a thread recorded it, which is so of all but
 * definitions. */
bool pinsight_is_mpi(const struct pinsight_event *event);
bool pinsight_is_mpi_call(const struct pinsight_event *event);

/* Takes any event of the domain MPI. */
void pinsight_ingest_mpi(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread of an event of MPI, but for its definitions. */
struct pinsight_thread *pinsight_mpi_event_thread(struct pinsight_model *model,
                                                  const struct pinsight_event *event);

#endif
