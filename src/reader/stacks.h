/* What the parts of the model need of the stacks. */
#ifndef PINSIGHT_READER_STACKS_H
#define PINSIGHT_READER_STACKS_H

#include "reader/model.h"

/* Closes every open frame of a thread, and every open import, at a time; returns how many there
 * were. */
uint64_t pinsight_stacks_close(struct pinsight_thread *thread, uint64_t ns);

#endif
