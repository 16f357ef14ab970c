/* The starts of threads; see thread_start.h. */
#include "tracer/core/thread_start.h"

#include "tracer/core/info.h"
#include "tracer/core/link.h"
#include "tracer/record/tls.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The arguments of pthread_create(), with the starter. */
struct start {
    void *(*run)(void *);
    void *data;
    struct pinsight_thread_start from;
};

/* Most threads have no event, and no state. */
static __thread struct pinsight_thread_start here __attribute__((tls_model("initial-exec")));

static void *prepare(void *(*run)(void *), void *data) {
    int error = errno;
    struct start *start = NULL;
    if (!pinsight_tls()->ended && pinsight_info_enabled() && (start = malloc(sizeof *start)))
        *start = (struct start){run, data, {(uint32_t)syscall(SYS_gettid), pinsight_link_here()}};
    errno = error;
    return start;
}

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    here = start.from;
    return start.run(start.data);
}

static const struct pinsight_thread_starts starts = {prepare, run, free};

void pinsight_thread_starts_follow(void) {
    void (*follow)(const struct pinsight_thread_starts *) =
        (void (*)(const struct pinsight_thread_starts *))(uintptr_t)dlsym(
            RTLD_DEFAULT, "pinsight_preload_on_thread");
    if (follow)
        follow(&starts);
}

struct pinsight_thread_start pinsight_thread_start_here(void) {
    return here;
}

void pinsight_thread_start_fork_child(void) {
    here = (struct pinsight_thread_start){0};
}
