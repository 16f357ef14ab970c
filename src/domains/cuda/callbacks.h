/* CUPTI's callbacks: calls of the driver become events. */
#ifndef PINSIGHT_CUDA_CALLBACKS_H
#define PINSIGHT_CUDA_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Subscribes to CUPTI's callbacks, and gives the subscription back. Returns a CUptiResult.
 * Serialised by the caller. */
uint32_t pinsight_cuda_subscribe(void);
void pinsight_cuda_unsubscribe(void);

/* Is there a subscription? Serialised by the caller. */
bool pinsight_cuda_subscribed(void);

/* Has CUPTI call back for these kinds of events (a bit each), and no others. Serialised by the
 * caller. */
void pinsight_cuda_call_back(uint64_t kinds);

#endif
