/*
 * Events of a thread that is aside: out of the range of threads, or within an import (importing.h).
 * Functions that are passed over there have no entry on the thread's stack. All hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_EXCLUDED_THREAD_H
#define PINSIGHT_PYTHON_EXCLUDED_THREAD_H

#include "domains/python/balance.h"
#include "domains/python/versions.h"

/* A function begins or goes on in `frame`; `how` as in the event. */
void pinsight_excluded_begin(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame,
                             int how, enum pinsight_flavour flavour);

/* It ends or pauses: false where that was dealt with. */
bool pinsight_excluded_ends(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame,
                            int how);

/* It calls C: is that to be recorded? */
bool pinsight_excluded_calls(struct pinsight_python_thread *thread, PyCodeObject *code);

/* What the function in `frame` called is done: may that have been recorded? */
bool pinsight_excluded_call_ends(const struct pinsight_python_thread *thread, const void *frame);

#endif
