/* From events of CUDA to the model. */
#ifndef PINSIGHT_READER_CUDA_INGEST_H
#define PINSIGHT_READER_CUDA_INGEST_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Takes any event of the domain CUDA. */
void pinsight_ingest_cuda(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread that an event of CUDA tells of; NULL of a record of what a device did. */
struct pinsight_thread *pinsight_cuda_event_thread(struct pinsight_model *model,
                                                   const struct pinsight_event *event);

#endif
