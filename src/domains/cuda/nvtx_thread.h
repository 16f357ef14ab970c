/* The ranges that a thread has pushed in NVTX and not yet popped. Only the thread itself. */
#ifndef PINSIGHT_DOMAINS_CUDA_NVTX_THREAD_H
#define PINSIGHT_DOMAINS_CUDA_NVTX_THREAD_H

#include "domains/cuda/nvtx_name.h"

#include <stdbool.h>

/* Ranges within ranges in one thread; those that are deeper are counted, and not recorded. */
enum { PINSIGHT_NVTX_DEEPEST = 64, PINSIGHT_NVTX_TEXT = 16384 };

struct pinsight_nvtx_range {
    const struct pinsight_nvtx_name *domain; /* NULL without */
    const char *name;  /* NULL where its begin was not recorded, so its end is not either */
    uint32_t text_end; /* of `text` of the thread, what is in use up to it */
    int level;         /* in its domain */
};

struct pinsight_nvtx_thread {
    uint32_t depth;
    uint32_t deeper;                                        /* ranges that are too deep */
    struct pinsight_nvtx_range open[PINSIGHT_NVTX_DEEPEST]; /* outermost first */
    char text[PINSIGHT_NVTX_TEXT]; /* names that are no registered strings */
};

/* NULL where nothing was pushed while it was recorded. Initial-exec: one load. */
extern __thread struct pinsight_nvtx_thread *pinsight_nvtx_thread
    __attribute__((tls_model("initial-exec")));

/*
 * A range is pushed. With `records`, makes the thread's state where it has none; the caller then
 * records the begin of a region of the name in *name, where that is not NULL. Returns the range's
 * level in its domain, from 0 on.
 */
int pinsight_nvtx_push(const struct pinsight_nvtx_name *domain,
                       const struct pinsight_nvtx_message *message, bool records,
                       const char **name);

/*
 * The innermost range of a domain ends, in a thread that has a state. The caller records the end of
 * a region of the name in *name, where that is not NULL; it holds until the next push. Returns its
 * level, or PINSIGHT_NVTX_NO_COUNT where there is none.
 */
int pinsight_nvtx_pop(const struct pinsight_nvtx_name *domain, const char **name);

#endif
