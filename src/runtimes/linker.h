/* Finds the file that the dynamic linker will load for a library, as ld.so(8) describes it. The
 * dynamic linker itself is not used. */
#ifndef PINSIGHT_RUNTIMES_LINKER_H
#define PINSIGHT_RUNTIMES_LINKER_H

#include <limits.h>
#include <stdbool.h>

/* The search paths for the libraries that one object needs. Any may be NULL or "". */
struct pinsight_linker_paths {
    const char *origin;       /* folder of the object, for $ORIGIN in `rpath` and `runpath` */
    const char *rpath;        /* its DT_RPATH; ignored if there is a DT_RUNPATH */
    const char *runpath;      /* its DT_RUNPATH */
    const char *rpath_above;  /* DT_RPATH of the program, or of the object that was opened */
    const char *origin_above; /* value of $ORIGIN in `rpath_above` */
    const char *library_path; /* LD_LIBRARY_PATH */
};

/*
 * Writes the path of the library `name` to `path`. Returns false if it is not found. The first call
 * reads /etc/ld.so.cache and keeps its content. One thread at a time.
 */
bool pinsight_linker_find(const char *name, const struct pinsight_linker_paths *paths,
                          char path[PATH_MAX]);

/* Writes the path of the first file with this name in /etc/ld.so.cache or a standard folder.
 * Returns false if there is none. One thread at a time. */
bool pinsight_linker_find_system(const char *name, char path[PATH_MAX]);

#endif
