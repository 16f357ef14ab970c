/* LLVM's OpenMP runtime, to be preloaded where a program uses GCC's. */
#ifndef PINSIGHT_RUNTIMES_LIBOMP_H
#define PINSIGHT_RUNTIMES_LIBOMP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtimes/objects.h"

enum pinsight_libomp_answer {
    PINSIGHT_LIBOMP_GOOD,
    PINSIGHT_LIBOMP_NONE,      /* there is none, or the file is something else */
    PINSIGHT_LIBOMP_NO_OMPT,   /* it was built without OMPT */
    PINSIGHT_LIBOMP_NO_GOMP,   /* without libgomp's entry points */
    PINSIGHT_LIBOMP_LACKS_ONE, /* without one that the program needs: `lacks` */
    PINSIGHT_LIBOMP_MAY_ABORT, /* it ends a program in some calls of one that is needed: `lacks` */
};

struct pinsight_libomp {
    char path[PATH_MAX]; /* "" with PINSIGHT_LIBOMP_NONE */
    char lacks[256];     /* "omp_fulfill_event@OMP_5.0.1" */
};

/* What the file libomp->path is good for, in place of the libgomp that `objects` need (NULL: any).
 */
enum pinsight_libomp_answer pinsight_libomp_check(struct pinsight_libomp *libomp,
                                                  const struct pinsight_objects *objects);

/* Does this runtime see a tool only where OMP_TOOL_LIBRARIES names it? It was linked so that it
 * asks no ompt_start_tool but its own (Ubuntu's are). */
bool pinsight_libomp_wants_name(const char *path);

/*
 * Finds the runtime: the one that the program loads anyway, then that of `prefix` (conda's; NULL or
 * "": none), of LD_LIBRARY_PATH (`library_path`), of the system, of LLVM's own folders, the newest
 * first. The first good one is taken; where none is good, the answer is about the first one.
 */
enum pinsight_libomp_answer pinsight_libomp_find(struct pinsight_libomp *libomp,
                                                 const struct pinsight_objects *objects,
                                                 const char *prefix, const char *library_path);

#endif
