/* Between the files that check CUDA. */
#ifndef PINSIGHT_DOCTOR_CHECK_CUDA_H
#define PINSIGHT_DOCTOR_CHECK_CUDA_H

#include "doctor/cuda_probe.h"
#include "doctor/findings.h"

/* The libcuptis that PInsight would open in programs of each Python, and in others, held against
 * what the driver said. */
void pinsight_check_cupti(struct pinsight_findings *findings,
                          const struct pinsight_cuda_driver *driver, char *const *command);

#endif
