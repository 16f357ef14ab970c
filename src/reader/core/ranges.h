/* Ranges of a process that the program marks: they may overlap, and end in another thread than they
 * began in. A view that asks for them has them in tracks of the process. Not thread-safe. */
#ifndef PINSIGHT_READER_CORE_RANGES_H
#define PINSIGHT_READER_CORE_RANGES_H

#include "reader/timeline.h"

/* A range begins, with a number of the process's and a name in the model's strings; and the range
 * of that number ends. */
void pinsight_ranges_begin(struct pinsight_process *process, uint64_t id, uint32_t name,
                           uint64_t ns);
void pinsight_ranges_end(struct pinsight_process *process, uint64_t id, uint64_t ns);

/* Nothing more of a process comes: what is open ends. */
void pinsight_ranges_close(struct pinsight_process *process);

void pinsight_ranges_free(struct pinsight_model *model);

#endif
