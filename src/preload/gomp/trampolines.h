/* The trampolines, for the code that says where they lead. */
#ifndef PINSIGHT_PRELOAD_GOMP_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_GOMP_TRAMPOLINES_H

#include <stdatomic.h>

/* Where each leads, by enum pinsight_gomp_function. At first, to the function of the same number
 * below. */
extern void *_Atomic pinsight_gomp_targets[];

/* Where each leads if that depends on the caller: to what asks pinsight_gomp_choose. */
extern void *const pinsight_gomp_choices[];

/* Where the call of a function goes on. `caller` is the address that the call returns to, `first`
 * its first argument. Thread-safe. */
void *pinsight_gomp_choose(unsigned function, const void *caller, const void *first);

#endif
