/* From events of CUDA to the model. */
#ifndef PINSIGHT_READER_INGEST_CUDA_H
#define PINSIGHT_READER_INGEST_CUDA_H

#include "reader/event.h"
#include "reader/model.h"

/* Whether an event is CUDA's; and whether it is one that a thread is in, not a record. */
bool pinsight_is_cuda(const struct pinsight_event *event);
bool pinsight_is_cuda_call(const struct pinsight_event *event);

void pinsight_ingest_cuda(struct pinsight_model *model, const struct pinsight_event *event);

#endif
