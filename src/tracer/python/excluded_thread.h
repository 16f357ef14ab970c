/*
 * Events of an excluded thread, which is outside the range of threads, or within an import
 * (importing.h). Functions that are not recorded there have no entry on the thread's stack. All
 * functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_EXCLUDED_THREAD_H
#define PINSIGHT_PYTHON_EXCLUDED_THREAD_H

#include "tracer/python/balance.h"
#include "tracer/python/versions.h"

/* A function begins or is resumed in `frame`. `how` as in the event. */
void pinsight_excluded_begin(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame,
                             int how, enum pinsight_flavour flavour);

/* The function ends or pauses. Returns false if nothing more has to be done. */
bool pinsight_excluded_ends(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame,
                            int how);

/* Returns whether a C call of the function is to be recorded. */
bool pinsight_excluded_calls(struct pinsight_python_thread *thread, PyCodeObject *code);

/* Returns whether the C call that ends in `frame` may have been recorded. */
bool pinsight_excluded_call_ends(const struct pinsight_python_thread *thread, const void *frame);

#endif
