/* Shared by the files that check CUDA. */
#ifndef PINSIGHT_DOCTOR_CUDA_CUPTI_H
#define PINSIGHT_DOCTOR_CUDA_CUPTI_H

#include "doctor/cuda/probe.h"
#include "doctor/findings.h"

/* Checks the libcuptis that PInsight would open in programs of each Python, and in others, against
 * the driver's version. */
void pinsight_check_cupti(struct pinsight_findings *findings,
                          const struct pinsight_cuda_driver *driver, char *const *command);

#endif
