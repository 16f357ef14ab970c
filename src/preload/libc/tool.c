/*
 * Libraries of ours that a runtime opens by itself, because a variable names them (CUDA's driver,
 * NVTX, a domain of one's own): they need libpinsight, of which each recorder has its own. In a
 * program without Python nobody has opened the one in force yet, and the dynamic linker would bring
 * the file recorder's.
 */
#include "libc.h"

#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

void pinsight_tool_before(const char *name) {
    static const char ours[] = "/libpinsight-";
    const char *slash = strrchr(name, '/');
    if (!slash || strncmp(slash, ours, sizeof ours - 1) != 0)
        return;
    const char *libdir = secure_getenv("PINSIGHT_LIBDIR");
    if (libdir && strncmp(name, libdir, strlen(libdir)) == 0)
        pinsight_recorder_shim.open(libdir); /* where it fails, the library says so */
}
