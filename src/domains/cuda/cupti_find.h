/*
 * Where NVIDIA's libcupti may lie: in the process already, beside the CUDA libraries that a program
 * has loaded, in a Python environment's packages, in a toolkit, or where the dynamic linker looks.
 * What records CUDA asks for it in a process, and `pinsight doctor` for a machine.
 *
 * Nothing is allocated but by the system's calls for folders, nothing is kept, and a lack of memory
 * leaves candidates out.
 */
#ifndef PINSIGHT_CUDA_CUPTI_FIND_H
#define PINSIGHT_CUDA_CUPTI_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* What cuptiGetVersion() says of the oldest libcupti that PInsight is made for, CUDA 12.0's. */
#define PINSIGHT_CUPTI_OLDEST 19

/* How a candidate was found, in the order in which candidates are told. */
enum pinsight_cupti_place {
    PINSIGHT_CUPTI_NAMED,  /* $PINSIGHT_CUPTI: a file, or a folder with one */
    PINSIGHT_CUPTI_LOADED, /* the process has loaded it */
    PINSIGHT_CUPTI_BESIDE, /* beside a CUDA library that the process has loaded, or its toolkit's */
    PINSIGHT_CUPTI_PACKAGE, /* a package of a Python environment */
    PINSIGHT_CUPTI_TOOLKIT, /* a toolkit that a variable names, or in its usual folder */
    PINSIGHT_CUPTI_LINKER,  /* a plain name, which the dynamic linker may know */
};

struct pinsight_cupti_candidate {
    const char *path; /* good until the function that is given it returns */
    enum pinsight_cupti_place place;
    unsigned major; /* of CUDA, as the file's name has it; 0: the name does not tell */
};

/* What is known where the search begins. */
struct pinsight_cupti_search {
    const char *const *loaded; /* paths of the objects that the process has loaded */
    size_t loaded_count;
    const char *const *sites; /* folders in which Python packages are */
    size_t site_count;
    const char *(*variable)(const char *name); /* of the environment; NULL: secure_getenv() */
    const char *root;                          /* in front of /usr/local and /opt; NULL: "" */
    unsigned driver_major; /* of CUDA: names of later majors are excluded, but for what the user
                              names; 0: none is */
};

/* Returns true where the candidate is taken, which ends the search. */
typedef bool pinsight_cupti_take(const struct pinsight_cupti_candidate *candidate, void *data);

/*
 * Tells `take` of one candidate after the other: of one place those with the latest major first,
 * no file twice. Files exist; plain names may be of nothing. Returns whether one was taken.
 * Thread-safe as far as `take` and the environment are.
 */
bool pinsight_cupti_each(const struct pinsight_cupti_search *search, pinsight_cupti_take *take,
                         void *data);

/* The same for the calling process: its objects, and its environment. No lock is held in `take`. */
bool pinsight_cupti_each_here(unsigned driver_major, pinsight_cupti_take *take, void *data);

/*
 * The number of CUDA, 1000 * major + 10 * minor, that a libcupti belongs to, of what its
 * cuptiGetVersion() says; 0 where that is no number of CUDA 11 or later.
 */
unsigned pinsight_cupti_cuda(unsigned version);

#endif
