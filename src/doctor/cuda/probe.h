/* What NVIDIA's driver and a libcupti say of themselves, asked in a child process: a broken driver
 * hangs or crashes whoever opens it. For one thread. */
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
    int error; /* a CUresult or a CUptiResult; 0: it works */
    char error_name[128];
};

struct pinsight_cuda_driver {
    struct pinsight_probe_answer answer;       /* the error is cuInit()'s, or one after it */
    unsigned cuda;                             /* 1000 * major + 10 * minor; 0: not told */
    unsigned device_count;                     /* all */
    char devices[PINSIGHT_PROBE_DEVICES][128]; /* the names of the first */
};

/* Opens the driver and asks it for its devices. */
void pinsight_cuda_driver_ask(struct pinsight_cuda_driver *driver);

struct pinsight_cupti {
    struct pinsight_probe_answer answer; /* the error says why it does not record */
    char path[512];   /* of the file that was opened, where a plain name was asked for */
    unsigned version; /* as cuptiGetVersion() says it */
    unsigned cuda;    /* the CUDA that it belongs to; 0: its version is not known */
};

/* Opens a libcupti, a path or a plain name, and has it record if there is a driver that works. */
void pinsight_cupti_ask(struct pinsight_cupti *cupti, const char *path, bool has_driver);

#endif
