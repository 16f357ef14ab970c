/* Interpreters that programs make in addition to the main one. */
#ifndef PINSIGHT_READER_PYTHON_INTERPRETERS_H
#define PINSIGHT_READER_PYTHON_INTERPRETERS_H

#include "base/map.h"
#include "reader/ctf/event.h"
#include "reader/model.h"

/* The number of such interpreters, over all processes. */
struct pinsight_interpreters {
    uint64_t recorded, unseen;
    struct pinsight_map numbers; /* the highest number in a process, recorded or not */
};

/* Takes the event interpreter_info. */
void pinsight_interpreters_take(struct pinsight_model *model, const struct pinsight_event *event);

#endif
