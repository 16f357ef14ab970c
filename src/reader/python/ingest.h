/* Feeds the events of Python into the model. */
#ifndef PINSIGHT_READER_PYTHON_INGEST_H
#define PINSIGHT_READER_PYTHON_INGEST_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Takes any event of the domain Python. */
void pinsight_ingest_python(struct pinsight_model *model, const struct pinsight_event *event);

#endif
