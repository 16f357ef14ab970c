/* The fake CUPTI's own: the calls' side (cupti.c) and the records' side (cupti_activity.c). */
#ifndef FAKE_CUDA_CUPTI_H
#define FAKE_CUDA_CUPTI_H

#include "fake.h"

/* Options, read once; see tests/fakes/cuda/README.md. */
extern struct fake_cupti_options {
    long late, dropped, out_of_order, records_per_buffer, unknown, null_names, zero_times,
        no_timestamp_callback;
    long subscribe, enable, privileges, version, together, stuck;
} fake_cupti;

/* A function of CUPTI was called: refused where CUPTI could not have answered. What a tool must not
 * do is logged. */
#define FAKE_CUPTI_CALLED(result)                                                                  \
    do {                                                                                           \
        if (!fake_cupti_may_be_called(__func__))                                                   \
            return result;                                                                         \
    } while (0)
bool fake_cupti_may_be_called(const char *function);
void fake_cupti_attach(void);
void fake_misuse(const char *what);

/* The thread is in a callback of the tool's for a call, or for anything else, as the end of a
 * context. */
extern _Thread_local unsigned fake_in_callback, fake_in_other_callback;

/* Of the records: work was put into a stream. */
void fake_activity_work(const struct fake_work *work);

#endif
