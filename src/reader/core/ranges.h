/* Ranges of a process that the program marks. Ranges may overlap, and may end in another thread. A
 * view that asks for them gets them in tracks of the process. Not thread-safe. */
#ifndef PINSIGHT_READER_CORE_RANGES_H
#define PINSIGHT_READER_CORE_RANGES_H

#include "reader/timeline.h"

/* Begin a range with a number of the process and a name in the model's strings, and end the range
 * with this number. */
void pinsight_ranges_begin(struct pinsight_process *process, uint64_t id, uint32_t name,
                           uint64_t ns);
void pinsight_ranges_end(struct pinsight_process *process, uint64_t id, uint64_t ns);

/* Called after the last event of a process. Ends the open ranges. */
void pinsight_ranges_close(struct pinsight_process *process);

/* Frees the ranges of all processes, with their tracks. */
void pinsight_ranges_free(struct pinsight_model *model);

#endif
