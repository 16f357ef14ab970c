/* What the parts of the model need of the stacks. */
#ifndef PINSIGHT_READER_PYTHON_STACKS_H
#define PINSIGHT_READER_PYTHON_STACKS_H

#include "reader/model.h"

/* Closes every open frame of a thread, and every open import, at a time; returns how many there
 * were. */
uint64_t pinsight_stacks_close(struct pinsight_thread *thread, uint64_t ns);

/* Gives open frames other numbers: of functions, and of call sites. What is not in a map stays. */
void pinsight_stacks_translate(struct pinsight_thread *thread, const struct pinsight_map *functions,
                               const struct pinsight_map *sites);

/* The time of a begin of Python's, and of an end, which may be marked as lost: it does not run back
 * within a thread. */
uint64_t pinsight_stacks_time(struct pinsight_thread *thread, uint64_t ns);
uint64_t pinsight_stacks_end_time(struct pinsight_thread *thread, unsigned how, uint64_t ns);

#endif
