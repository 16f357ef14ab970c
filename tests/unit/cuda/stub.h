/* A stub of CUPTI in the process: what the domain asked it for, and calls and buffers for the
 * domain. */
#ifndef PINSIGHT_TESTS_CUDA_STUB_H
#define PINSIGHT_TESTS_CUDA_STUB_H

#include "tracer/cuda/cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the domain asked for. */
struct stub_asked {
    bool is_subscribed;
    bool called_back[1024]; /* of the driver's functions */
    bool enabled[64];       /* kinds of records */
};
const struct stub_asked *stub_asked(void);

/* Has the next cuptiActivityGetNumDroppedRecords() say that. */
void stub_drop(size_t count);

/* A call of the driver begins or ends in the calling thread. */
void stub_call(uint32_t number, uint32_t site, uint32_t correlation, const uint64_t *params,
               uint32_t *result, const char *symbol);

/* Something is made, or ends (CUPTI_STREAM_DESTROY_STARTING and its like). */
void stub_resource(uint32_t what);

/* Added to the numbers of streams from now on: handles are used again. */
void stub_number_streams(uint32_t more);

/* Hands over `valid` bytes of records, in a buffer of the domain's. `ends` are where records end;
 * the last is 0. */
void stub_hand_over(const uint8_t *records, size_t valid, const size_t *ends);

#endif
