/*
 * Finds the OpenMP runtimes and the BLAS libraries that a set of programs and libraries will load.
 * Follows the needed libraries as the dynamic linker will, and loads nothing.
 */
#ifndef PINSIGHT_RUNTIMES_OBJECTS_H
#define PINSIGHT_RUNTIMES_OBJECTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum pinsight_runtime_kind {
    PINSIGHT_LIBGOMP,      /* GCC's OpenMP, without OMPT */
    PINSIGHT_LIBOMP,       /* LLVM's OpenMP */
    PINSIGHT_LIBIOMP,      /* Intel's OpenMP, with OMPT; aborts if LLVM's is loaded, too */
    PINSIGHT_BLAS_PTHREAD, /* a BLAS with threads of its own */
    PINSIGHT_BLAS_OPENMP,  /* a BLAS on OpenMP */
};

enum {
    PINSIGHT_OBJECTS_MAX = 2048, /* files that are opened at most */
    PINSIGHT_FOUND_MAX = 64,
};

struct pinsight_object_found {
    enum pinsight_runtime_kind kind;
    char *path; /* of the runtime */
    char *by;   /* the file that needs it, or the folder that contains it */
};

/* The result of a search, all zero at its begin. pinsight_objects_free() frees it. One thread at a
 * time uses it. */
struct pinsight_objects {
    const char *library_path; /* the command's LD_LIBRARY_PATH, or NULL */
    struct pinsight_object_found found[PINSIGHT_FOUND_MAX];
    size_t found_count;
    bool has_blas;  /* a library needs a BLAS or LAPACK, of any kind */
    bool cut_short; /* a limit ended the search */

    struct pinsight_object_seen {
        dev_t device;
        ino_t inode;
    } seen[PINSIGHT_OBJECTS_MAX];
    size_t seen_count;
};

/* Returns the kind of a runtime by the name of its file; -1 if it is none of the kinds. Does not
 * recognize BLAS libraries. */
int pinsight_runtime_of_name(const char *name);

/*
 * Examines a program or library, and all that it needs. Returns whether it is an ELF file for this
 * machine. Each file is examined once.
 */
bool pinsight_objects_add(struct pinsight_objects *objects, const char *path);

/* Returns the first result of a kind, or NULL. */
const struct pinsight_object_found *pinsight_objects_first(const struct pinsight_objects *objects,
                                                           enum pinsight_runtime_kind kind);

/* Frees the members, and sets all to zero. */
void pinsight_objects_free(struct pinsight_objects *objects);

#endif
