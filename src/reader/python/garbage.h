/* Collections of garbage: what of Python they struck, and for how long. They have a chain of their
 * own in each thread's stack. What a collection takes is not the time of what it struck, but for
 * the Python that it runs. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_GARBAGE_H
#define PINSIGHT_READER_PYTHON_GARBAGE_H

#include "reader/model.h"

/* A collection begins in a thread. path is PINSIGHT_NONE where the trace does not say what it
 * struck: then that is the innermost function that is open. */
void pinsight_garbage_begin(struct pinsight_thread *thread, uint32_t generation, uint32_t path,
                            uint64_t ns);

/* It ends. An end without a begin is dropped, and counted in the model as for functions. */
void pinsight_garbage_end(struct pinsight_thread *thread, uint64_t collected,
                          uint64_t uncollectable, uint64_t ns);

/* Adds what MONITORING counted of collections that struck one path, or PINSIGHT_NONE. */
void pinsight_garbage_count(struct pinsight_process *process, const struct pinsight_garbage *sums);

/* Closes every open collection of a thread at a time; returns how many there were. */
uint64_t pinsight_garbage_close(struct pinsight_thread *thread, uint64_t ns);

/* The innermost function that collections struck, or PINSIGHT_NONE; and its line, 0 where it is not
 * known. */
uint32_t pinsight_garbage_function(const struct pinsight_model *model,
                                   const struct pinsight_garbage *garbage);
int32_t pinsight_garbage_line(const struct pinsight_model *model,
                              const struct pinsight_garbage *garbage);

#endif
