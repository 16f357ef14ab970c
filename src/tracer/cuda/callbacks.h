/* CUPTI's callbacks: records calls of the driver as events. */
#ifndef PINSIGHT_CUDA_CALLBACKS_H
#define PINSIGHT_CUDA_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Subscribes to CUPTI's callbacks, and ends the subscription. Returns a CUptiResult. The caller
 * serialises calls. */
uint32_t pinsight_cuda_subscribe(void);
void pinsight_cuda_unsubscribe(void);

/* Returns whether there is a subscription. The caller serialises calls. */
bool pinsight_cuda_subscribed(void);

/* Makes CUPTI call back for exactly these kinds of events (a bit for each). The caller serialises
 * calls. */
void pinsight_cuda_call_back(uint64_t kinds);

#endif
