/*
 * The search for NVIDIA's libcupti. It looks in the process, beside the CUDA libraries that a
 * program has loaded, in a Python environment's packages and in toolkits. The last place is the
 * dynamic linker's own search. The CUDA domain searches for a process, and `pinsight doctor` for a
 * machine.
 *
 * The functions allocate nothing except through opendir(), and keep nothing. If memory is short,
 * candidates are left out.
 */
#ifndef PINSIGHT_RUNTIMES_CUDA_CUPTI_FIND_H
#define PINSIGHT_RUNTIMES_CUDA_CUPTI_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The result of cuptiGetVersion() for the oldest supported libcupti, of CUDA 12.0. */
#define PINSIGHT_CUPTI_OLDEST 19

/* The ways to find a candidate, in the order of the search. */
enum pinsight_cupti_place {
    PINSIGHT_CUPTI_NAMED,    /* $PINSIGHT_CUPTI: a file, or a folder that contains one */
    PINSIGHT_CUPTI_LOADED,   /* the process has loaded it */
    PINSIGHT_CUPTI_ADJACENT, /* beside a loaded CUDA library, or in its toolkit */
    PINSIGHT_CUPTI_PACKAGE,  /* a package of a Python environment */
    PINSIGHT_CUPTI_TOOLKIT,  /* a toolkit that a variable names, or in its usual folder */
    PINSIGHT_CUPTI_LINKER,   /* a file name, which the dynamic linker may find */
};

struct pinsight_cupti_candidate {
    const char *path; /* valid until `take` returns */
    enum pinsight_cupti_place place;
    unsigned major; /* major version of CUDA in the file's name; 0 if it has none */
};

/* The input of the search. */
struct pinsight_cupti_search {
    const char *const *loaded; /* paths of the objects that the process has loaded */
    size_t loaded_count;
    const char *const *sites; /* folders of Python packages */
    size_t site_count;
    /* reads an environment variable; NULL: secure_getenv() */
    const char *(*variable)(const char *name);
    const char *root; /* prefix of /usr/local and /opt; NULL: "" */
    /* the driver's CUDA: later majors are left out unless the user names them; 0: none are */
    unsigned driver_major;
};

/* Receives a candidate. Returns true to take it, which ends the search. */
typedef bool pinsight_cupti_take(const struct pinsight_cupti_candidate *candidate, void *data);

/*
 * Calls `take` for one candidate after the other. At one place, the latest major version comes
 * first. No file comes twice. A candidate exists, except for plain file names. Returns whether a
 * candidate was taken. Thread-safe as far as `take` and the environment are.
 */
bool pinsight_cupti_each(const struct pinsight_cupti_search *search, pinsight_cupti_take *take,
                         void *data);

/* Searches for the calling process, with its objects and its environment. Calls `take` without a
 * lock. */
bool pinsight_cupti_each_here(unsigned driver_major, pinsight_cupti_take *take, void *data);

/*
 * Returns the version of CUDA (1000 * major + 10 * minor) that a libcupti belongs to. `version` is
 * the result of cuptiGetVersion(). Returns 0 if it does not stand for CUDA 11 or later.
 */
unsigned pinsight_cupti_cuda(unsigned version);

#endif
