/* Where the dynamic linker will find a library, as ld.so(8) says, without asking it. */
#ifndef PINSIGHT_RUNTIMES_LINKER_H
#define PINSIGHT_RUNTIMES_LINKER_H

#include <limits.h>
#include <stdbool.h>

/* The search paths that count for what one object needs. Any may be NULL or "". */
struct pinsight_linker_paths {
    const char *origin;       /* folder of the object: $ORIGIN in the next two */
    const char *rpath;        /* its DT_RPATH; does not count where there is a DT_RUNPATH */
    const char *runpath;      /* its DT_RUNPATH */
    const char *rpath_above;  /* DT_RPATH of the program, or of what was opened */
    const char *origin_above; /* and $ORIGIN in that */
    const char *library_path; /* LD_LIBRARY_PATH */
};

/*
 * Writes the path of the library `name` to `path`. False if it is not found. Reads
 * /etc/ld.so.cache at its first call and keeps it: not for several threads at once.
 */
bool pinsight_linker_find(const char *name, const struct pinsight_linker_paths *paths,
                          char path[PATH_MAX]);

/* The first file of that name that /etc/ld.so.cache knows, or a standard folder has. */
bool pinsight_linker_find_system(const char *name, char path[PATH_MAX]);

#endif
