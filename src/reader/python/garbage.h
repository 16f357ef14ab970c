/* Garbage collections: the Python that they interrupted, and their times. Collections have a chain
 * of their own in each thread's stack. The time of a collection does not count for the interrupted
 * function, except for Python that the collection runs. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_GARBAGE_H
#define PINSIGHT_READER_PYTHON_GARBAGE_H

#include "reader/model.h"

/* Begins a collection in a thread. `path` is that of the interrupted Python. If the trace lacks the
 * path, `path` is PINSIGHT_NONE, and the innermost open function is used. */
void pinsight_garbage_begin(struct pinsight_thread *thread, uint32_t generation, uint32_t path,
                            uint64_t ns);

/* Ends the collection. An end without a begin is dropped, and counted in the model as for
 * functions. */
void pinsight_garbage_end(struct pinsight_thread *thread, uint64_t collected,
                          uint64_t uncollectable, uint64_t ns);

/* Adds the counts of MONITORING for the collections that interrupted one path, or PINSIGHT_NONE. */
void pinsight_garbage_count(struct pinsight_process *process, const struct pinsight_garbage *sums);

/* Ends every open collection of a thread. Returns how many there were. */
uint64_t pinsight_garbage_close(struct pinsight_thread *thread, uint64_t ns);

/* Return the innermost interrupted function, or PINSIGHT_NONE; and its line, 0 if unknown. */
uint32_t pinsight_garbage_function(const struct pinsight_model *model,
                                   const struct pinsight_garbage *garbage);
int32_t pinsight_garbage_line(const struct pinsight_model *model,
                              const struct pinsight_garbage *garbage);

#endif
