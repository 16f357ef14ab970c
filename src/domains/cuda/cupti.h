/* The libcupti of the process: found and opened at run time, so that PInsight is built and runs
 * where there is none. */
#ifndef PINSIGHT_CUDA_CUPTI_H
#define PINSIGHT_CUDA_CUPTI_H

#include "domains/cuda/cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUPTI's functions, under their names. Those of CUPTI_LATER_FUNCTIONS may be NULL. Constant once
 * pinsight_cupti_open() has returned true. */
struct cupti_library {
#define MEMBER(name, parameters) uint32_t(*name) parameters;
    CUPTI_FUNCTIONS(MEMBER)
    CUPTI_LATER_FUNCTIONS(MEMBER)
#undef MEMBER
    uint32_t version; /* as cuptiGetVersion says it */
    unsigned cuda;    /* that it belongs to: 1000 * major + 10 * minor; 0 where it is not known */
};
extern struct cupti_library pinsight_cupti;

/* Finds and opens a libcupti that fits the driver. Returns whether there is one, and says once what
 * is missing. Once; serialised by the caller. */
bool pinsight_cupti_open(void);

/* What a result means, for people; static. */
const char *pinsight_cupti_text(uint32_t result);

#endif
