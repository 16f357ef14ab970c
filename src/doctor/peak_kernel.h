/* Loops of multiplications and additions in registers, as fast as a processor computes them. */
#ifndef PINSIGHT_DOCTOR_PEAK_KERNEL_H
#define PINSIGHT_DOCTOR_PEAK_KERNEL_H

#include "base/peak.h"

struct pinsight_peak_kernel {
    const char *name;                         /* of the instructions */
    unsigned operations[PINSIGHT_PRECISIONS]; /* of one round */
    void (*run[PINSIGHT_PRECISIONS])(uint64_t rounds);
};

/* Returns the fastest kernel for this processor. Any thread. */
const struct pinsight_peak_kernel *pinsight_peak_kernel(void);

#endif
