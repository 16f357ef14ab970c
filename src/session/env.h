/* The environment that a command is run with. */
#ifndef PINSIGHT_SESSION_ENV_H
#define PINSIGHT_SESSION_ENV_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/description.h"

/* The library that OMP_TOOL_LIBRARIES names where it has to. */
#define PINSIGHT_OPENMP_TOOL "libpinsight-openmp-tool.so"

/* Stands before GCC's OpenMP. */
#define PINSIGHT_GOMP "libpinsight-gomp.so"

/* A runtime opens the library that a variable names: the variable, and ours in `libdir`. */
struct pinsight_env_tool {
    const char *variable; /* NULL after the last */
    const char *library;
    /* Set where they are not, and ours is in that variable; ended by NULL. Or NULL. */
    const struct pinsight_variable *also;
};

enum { PINSIGHT_ENV_TOOLS = 8 };

struct pinsight_env {
    const char *libdir;
    const char *preload; /* path of the library to preload, NULL for none */
    const char *mpi;     /* MPI's trampolines, after that; NULL or "" for none */
    const char *gomp;    /* those before GCC's OpenMP, after that; NULL or "" for none */
    const char *tool;    /* of OpenMP's, to be named in its variable; NULL or "" for none */
    struct pinsight_env_tool
        tools[PINSIGHT_ENV_TOOLS + 1]; /* another library in a variable stays */
    const char *recorder;              /* its name */
    const char *session;
    const char *join; /* NULL or "" for none */
    const char *output;
    /* What decides what is recorded; NULL or "": as the caller's environment has it. */
    const char *config; /* absolute */
    const char *domains;
    const char *mode;
    const char *events;
    const char *names;
    bool lossless;
    bool quiet;
    uint64_t max_size;
    const char *ring; /* NULL or "": all is kept */
    const char *ring_signal;
};

/*
 * `base` (such as environ) with PInsight's variables set. What an outer run has set and this one
 * does not is removed, so that one run inside another is its own. Returns an array that ends with
 * NULL, to be freed with pinsight_env_free; NULL if there is no memory.
 */
char **pinsight_env_build(char *const *base, const struct pinsight_env *env);
void pinsight_env_free(char **variables);

/* Is it that tool, in whatever folder, that the variable names? */
bool pinsight_env_is_tool(const struct pinsight_env_tool *tool, const char *value);

/* A variable of this process as its command will have it where no option sets it: NULL where it is
 * an outer run's. */
const char *pinsight_env_get(const char *name);

/*
 * The path under which a library of ours in `libdir` can be preloaded. The dynamic linker splits
 * LD_PRELOAD at spaces and colons (ld.so(8)), so a folder with one of them in its name is reached
 * through a link in this user's runtime folder. False if the library is not there, or no such link
 * can be made.
 */
bool pinsight_env_find_preload(const char *libdir, const char *library, char path[PATH_MAX]);

#endif
