/*
 * Numbers of generators, coroutines and asynchronous generators, so that executions of one function
 * that take turns are told apart (the event kind "generator", which is off by default).
 *
 * A number stays with its execution: in the entry on the stack while it runs, with its frame while
 * it waits (frames.h). The frame lies where it is as long as the execution lasts. The next one may
 * lie there too, and of the end of the first not every Python tells; therefore what starts has a
 * new number, whatever is known of its frame. All hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_GENERATORS_H
#define PINSIGHT_PYTHON_GENERATORS_H

#include "domains/python/thread.h"

/* The entry on top was begun for an execution that is recorded, `how` as in the event; `known` is
 * the number that waited with its frame, 0 for none. While generators are numbered, its number is
 * recorded, which the entry has from now on. */
void pinsight_generator_begun(struct pinsight_python_thread *thread, struct pinsight_entry *entry,
                              int how, uint32_t known);

/* Likewise for what goes on where nobody looked for what it has: after a switch of greenlets. Does
 * nothing where the entry is of no generator, is not recorded, or generators are not numbered. */
void pinsight_generator_goes_on(struct pinsight_python_thread *thread,
                                struct pinsight_entry *entry);

/* From now until events come again, executions may start and end unseen: what is known of those
 * that wait does not hold. Each has a new number when it goes on. */
void pinsight_generators_forget(void);

/* Has the execution in this frame, which an exception is thrown into, been started before?
 * (unmatched.c) */
bool pinsight_generator_has_started(const void *code, void *frame);

#endif
