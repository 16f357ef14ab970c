/* The environment of a command. */
#ifndef PINSIGHT_SESSION_ENV_H
#define PINSIGHT_SESSION_ENV_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/description.h"

/* The library that OMP_TOOL_LIBRARIES names if a runtime needs it. */
#define PINSIGHT_OPENMP_TOOL "libpinsight-openmp-tool.so"

/* The library that is preloaded in front of GCC's OpenMP. */
#define PINSIGHT_GOMP "libpinsight-gomp.so"

/* A variable that names a library for a runtime to open, and PInsight's library in `libdir`. */
struct pinsight_env_tool {
    const char *variable; /* NULL after the last one */
    const char *library;
    /* Variables that are set if they are unset and the variable names PInsight's library; ended by
     * NULL. Or NULL. */
    const struct pinsight_variable *also;
};

enum { PINSIGHT_ENV_TOOLS = 8 };

struct pinsight_env {
    const char *libdir;
    const char *preload; /* path of the library to preload; NULL for none */
    const char *mpi;     /* MPI's trampolines, preloaded next; NULL or "" for none */
    const char *gomp;    /* trampolines of GCC's OpenMP, preloaded next; NULL or "" */
    const char *blas;    /* functions of BLAS, preloaded last; NULL or "" */
    const char *tool;    /* OpenMP's tool for its variable; NULL or "" for none */
    struct pinsight_env_tool
        tools[PINSIGHT_ENV_TOOLS + 1]; /* other libraries in these variables stay */
    const char *recorder;              /* name of the recorder */
    const char *session;
    const char *join; /* NULL or "" for none */
    const char *output;
    /* Settings of the recording; NULL or "" keeps the caller's environment. */
    const char *config; /* absolute */
    const char *domains;
    const char *mode;
    const char *events;
    const char *names;
    const char *lines;
    const char *budget;
    bool lossless;
    bool quiet;
    uint64_t max_size;
    const char *ring; /* NULL or "" if everything is kept */
    const char *ring_signal;
};

/*
 * Returns `base` (such as environ) with PInsight's variables set. Removes variables that an outer
 * run has set and this one does not, so that nested runs are independent. The result ends with NULL
 * and is freed with pinsight_env_free(). Returns NULL if memory runs out.
 */
char **pinsight_env_build(char *const *base, const struct pinsight_env *env);
void pinsight_env_free(char **variables);

/* Returns whether the variable's value names that tool, in any folder. */
bool pinsight_env_is_tool(const struct pinsight_env_tool *tool, const char *value);

/* Returns the value of a variable of this process as its command will get it without options.
 * Returns NULL if an outer run has set it. */
const char *pinsight_env_get(const char *name);

/*
 * Finds a path by which a library of PInsight in `libdir` can be preloaded. The dynamic linker
 * splits LD_PRELOAD at spaces and colons (ld.so(8)), so a folder with one of them in its name is
 * reached through a link in this user's runtime folder. Returns false if the library does not
 * exist, or if no such link can be made.
 */
bool pinsight_env_find_preload(const char *libdir, const char *library, char path[PATH_MAX]);

#endif
