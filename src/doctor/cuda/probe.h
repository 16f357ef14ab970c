/* Queries of NVIDIA's driver and of a libcupti, in a child process: a broken driver hangs or
 * crashes the process that opens it. For one thread. */
#ifndef PINSIGHT_DOCTOR_CUDA_PROBE_H
#define PINSIGHT_DOCTOR_CUDA_PROBE_H

#include <stdbool.h>
#include <stddef.h>

enum pinsight_probe {
    PINSIGHT_PROBE_ABSENT, /* it cannot be opened; `why` has the reason */
    PINSIGHT_PROBE_HANGS,
    PINSIGHT_PROBE_CRASHES,
    PINSIGHT_PROBE_ANSWERS,
};

enum { PINSIGHT_PROBE_DEVICES = 16 };

struct pinsight_probe_answer {
    enum pinsight_probe probe;
    char why[512];
    int error; /* a CUresult or a CUptiResult; 0: success */
    char error_name[128];
};

struct pinsight_cuda_driver {
    /* the error is that of cuInit() or of a later call */
    struct pinsight_probe_answer answer;
    unsigned cuda;                             /* 1000 * major + 10 * minor; 0: unknown */
    unsigned device_count;                     /* of all devices */
    char devices[PINSIGHT_PROBE_DEVICES][128]; /* names of the first devices */
};

/* Opens the driver and gets its devices. */
void pinsight_cuda_driver_ask(struct pinsight_cuda_driver *driver);

struct pinsight_cupti {
    struct pinsight_probe_answer answer; /* the error is the reason why it does not record */
    char path[512];                      /* path of the opened file, if a file name was given */
    unsigned version;                    /* result of cuptiGetVersion() */
    unsigned cuda;                       /* the CUDA that it belongs to; 0: unknown version */
};

/* Opens a libcupti by a path or a file name. Tests recording if there is a working driver. */
void pinsight_cupti_ask(struct pinsight_cupti *cupti, const char *path, bool has_driver);

#endif
