/* The domain behind a preloaded library; see opening.h. */
#include "tracer/preload/opening.h"

#include "tracer/preload/preload.h"
#include "tracer/record/recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPEN_MS = 2000 };

void pinsight_opening_ready(struct pinsight_opening *opening, const char *domain) {
    /* Not getenv(): the caller of a set-uid program must not choose a library that is opened. */
    const char *folder = secure_getenv("PINSIGHT_LIBDIR");
    pinsight_message_ready();
    if (folder && folder[0] == '/' &&
        pinsight_domain_wanted(secure_getenv("PINSIGHT_DOMAINS"), domain))
        opening->libdir = strdup(folder); /* the program may change its environment */
}

void pinsight_opening_once(struct pinsight_opening *opening, void (*open)(void *data), void *data) {
    static __thread bool here __attribute__((tls_model("initial-exec")));
    const struct timespec moment = {.tv_nsec = 1000000};
    pid_t own = getpid(), holder = 0;
    int saved_errno = errno;
    if (atomic_compare_exchange_strong(&opening->opener, &holder, own)) {
        here = true;
        open(data);
        here = false;
        atomic_store_explicit(&opening->is_open, true, memory_order_release);
    }
    for (int i = 0; i < OPEN_MS && !here && holder == own && !opening->is_open; i++)
        nanosleep(&moment, NULL);
    errno = saved_errno;
}

void *pinsight_opening_library(const char *libdir, const char *name) {
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/libpinsight-%s.so", libdir, name) >= (int)sizeof(path))
        return NULL;
    return pinsight_recorder_shim.open(libdir) ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                                               : NULL;
}
