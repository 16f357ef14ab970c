/*
 * Numbers of generators, coroutines and asynchronous generators. They distinguish executions of one
 * function that take turns (the event kind "generator", off by default).
 *
 * A number stays with its execution. It is in the stack's entry while the execution runs, and with
 * its frame while the execution is paused (frames.h). A frame does not move, but the next execution
 * may have the same address, and not every Python reports the end of the first one. Therefore each
 * execution gets a new number at its start, whatever is known about its frame. All functions hold
 * the GIL.
 */
#ifndef PINSIGHT_PYTHON_GENERATORS_H
#define PINSIGHT_PYTHON_GENERATORS_H

#include "tracer/python/thread.h"

/* Called when the top entry was begun for a recorded execution. `how` as in the event. `known` is
 * the number of the paused frame, or 0. While generators are numbered, records the number and sets
 * it in the entry. */
void pinsight_generator_begun(struct pinsight_python_thread *thread, struct pinsight_entry *entry,
                              int how, uint32_t known);

/* Like pinsight_generator_begun(), for an execution that was resumed without a look-up of its
 * frame, after a switch of greenlets. Does nothing if the entry is no generator's, is not recorded,
 * or generators are not numbered. */
void pinsight_generator_goes_on(struct pinsight_python_thread *thread,
                                struct pinsight_entry *entry);

/* Forgets all paused executions, because executions may start and end unseen until events come
 * again. Each gets a new number when it is resumed. */
void pinsight_generators_forget(void);

/* Returns whether the execution in a frame, into which an exception is thrown, has been started
 * before (unmatched.c). */
bool pinsight_generator_has_started(const void *code, void *frame);

#endif
