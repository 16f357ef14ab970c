/* The open NVTX ranges of a thread. Called by the thread itself. */
#ifndef PINSIGHT_DOMAINS_CUDA_NVTX_THREAD_H
#define PINSIGHT_DOMAINS_CUDA_NVTX_THREAD_H

#include "tracer/cuda/nvtx_name.h"

#include <stdbool.h>

/* The deepest nesting of ranges that is recorded, and the room for their names. Deeper ranges are
 * only counted. */
enum { PINSIGHT_NVTX_DEEPEST = 64, PINSIGHT_NVTX_TEXT = 16384 };

struct pinsight_nvtx_range {
    const struct pinsight_nvtx_name *domain; /* NULL without a domain */
    const char *name;  /* NULL if the begin was not recorded; then the end is not either */
    uint32_t text_end; /* end of the used part of the thread's `text` */
    int level;         /* nesting level in its domain */
};

struct pinsight_nvtx_thread {
    uint32_t depth;
    uint32_t deeper;                                        /* ranges beyond the deepest nesting */
    struct pinsight_nvtx_range open[PINSIGHT_NVTX_DEEPEST]; /* outermost first */
    char text[PINSIGHT_NVTX_TEXT]; /* names that are not registered strings */
};

/* NULL if the thread has pushed no range while recording. Initial-exec: one load. */
extern __thread struct pinsight_nvtx_thread *pinsight_nvtx_thread
    __attribute__((tls_model("initial-exec")));

/*
 * Pushes a range. With `records`, makes the thread's state if necessary; the caller then records
 * the begin of a region with the name *name, unless it is NULL. Returns the range's level in its
 * domain, from 0.
 */
int pinsight_nvtx_push(const struct pinsight_nvtx_name *domain,
                       const struct pinsight_nvtx_message *message, bool records,
                       const char **name);

/*
 * Pops the innermost range of a domain, in a thread that has a state. The caller records the end of
 * a region with the name *name, unless it is NULL; the name is valid until the next push. Returns
 * the range's level, or PINSIGHT_NVTX_NO_COUNT without a range.
 */
int pinsight_nvtx_pop(const struct pinsight_nvtx_name *domain, const char **name);

#endif
