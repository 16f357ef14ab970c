/* The libcupti of the process. It is found and opened at run time, so that PInsight can be built
 * and run without it. */
#ifndef PINSIGHT_CUDA_CUPTI_H
#define PINSIGHT_CUDA_CUPTI_H

#include "tracer/cuda/cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUPTI's functions, by their names. Those of CUPTI_LATER_FUNCTIONS may be NULL. Constant after
 * pinsight_cupti_open() has returned true. */
struct cupti_library {
#define MEMBER(name, parameters) uint32_t(*name) parameters;
    CUPTI_FUNCTIONS(MEMBER)
    CUPTI_LATER_FUNCTIONS(MEMBER)
#undef MEMBER
    uint32_t version; /* the result of cuptiGetVersion() */
    unsigned cuda;    /* the CUDA that it belongs to: 1000 * major + 10 * minor; 0: unknown */
};
extern struct cupti_library pinsight_cupti;

/* Finds and opens a libcupti that fits the driver. Returns whether there is one. If not, one
 * message reports the reason. Only the first call searches. The caller serialises calls. */
bool pinsight_cupti_open(void);

/* Returns the meaning of a result as text for people; static. */
const char *pinsight_cupti_text(uint32_t result);

#endif
