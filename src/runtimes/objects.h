/*
 * Which OpenMP runtimes, and which BLAS, a set of programs and libraries will load: follows what
 * each needs, as the dynamic linker will, without loading anything.
 */
#ifndef PINSIGHT_RUNTIMES_OBJECTS_H
#define PINSIGHT_RUNTIMES_OBJECTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum pinsight_runtime_kind {
    PINSIGHT_LIBGOMP,      /* GCC's OpenMP: no OMPT */
    PINSIGHT_LIBOMP,       /* LLVM's */
    PINSIGHT_LIBIOMP,      /* Intel's: OMPT, and aborts beside LLVM's */
    PINSIGHT_BLAS_PTHREAD, /* a BLAS with threads of its own */
    PINSIGHT_BLAS_OPENMP,  /* a BLAS on OpenMP */
};

enum {
    PINSIGHT_OBJECTS_MAX = 2048, /* files that are opened, at most */
    PINSIGHT_FOUND_MAX = 64,
};

struct pinsight_object_found {
    enum pinsight_runtime_kind kind;
    char *path; /* of the runtime */
    char *by;   /* what needs it, or carries it: a file or a folder */
};

/* All zero to begin with; pinsight_objects_free() at the end. For one thread. */
struct pinsight_objects {
    const char *library_path; /* the command's LD_LIBRARY_PATH, or NULL */
    struct pinsight_object_found found[PINSIGHT_FOUND_MAX];
    size_t found_count;
    bool cut_short; /* there was more than the limits allow to look at */

    struct pinsight_object_seen {
        dev_t device;
        ino_t inode;
    } seen[PINSIGHT_OBJECTS_MAX];
    size_t seen_count;
};

/* What is looked for, by the name of a file: -1 if none of the kinds (a BLAS is not told apart). */
int pinsight_runtime_of_name(const char *name);

/*
 * Looks at a program or library and all that it needs. Answers whether it is an ELF file of this
 * machine's kind. A file that was looked at before is not looked at again.
 */
bool pinsight_objects_add(struct pinsight_objects *objects, const char *path);

/* The first that was found of a kind; NULL if none. */
const struct pinsight_object_found *pinsight_objects_first(const struct pinsight_objects *objects,
                                                           enum pinsight_runtime_kind kind);

void pinsight_objects_free(struct pinsight_objects *objects);

#endif
