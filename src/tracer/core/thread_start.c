/* The starts of threads; see thread_start.h. */
#include "tracer/core/thread_start.h"

#include "tracer/core/info.h"
#include "tracer/core/link.h"
#include "tracer/core/thread.h"
#include "tracer/record/tls.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The arguments of pthread_create(), with the starter. */
struct start {
    void *(*run)(void *);
    void *data;
    struct pinsight_thread_start from;
};

/* Of this thread while it runs, or NULL. Most threads have no event, and no state. */
static __thread struct start *here __attribute__((tls_model("initial-exec")));

static void *prepare(void *(*run)(void *), void *data) {
    int error = errno;
    struct start *start = NULL;
    if (!pinsight_tls()->ended && pinsight_info_enabled() && (start = malloc(sizeof *start))) {
        const struct pinsight_core_thread *thread = pinsight_thread_there();
        *start = (struct start){
            run, data, {.starter = (uint32_t)syscall(SYS_gettid), .py_path = pinsight_link_here()}};
        if (thread)
            strcpy(start->from.name, thread->name);
    }
    errno = error;
    return start;
}

/* Also called by pthread_exit(). */
static void end(void *start) {
    here = NULL;
    free(start);
}

static void *run(void *argument) {
    struct start *start = argument;
    void *result;
    here = start;
    pthread_cleanup_push(end, start);
    result = start->run(start->data);
    pthread_cleanup_pop(1);
    return result;
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
    return here ? here->from : (struct pinsight_thread_start){0};
}

void pinsight_thread_start_fork_child(void) {
    here = NULL;
}
