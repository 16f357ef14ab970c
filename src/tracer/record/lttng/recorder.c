/* LTTng-UST as the recorder of a process; see tracer/record/recorder.h. */
#include "tracer/record/recorder.h"

#include "format/lttng/join.h"
#include "pinsight/pinsight.h"
#include "tracer/record/lttng/core_tracepoints.h"
#include "tracer/record/lttng/thread_clock.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
 * Loads libgcc_s.so.1 in advance. LTTng-UST cancels its threads when the process ends. glibc opens
 * the library for the first pthread_cancel(), and aborts the process if no descriptor is free
 * (glibc, nptl/pthread_cancel.c and sysdeps/nptl/unwind-link.c). A loaded library is not opened
 * again. If the library does not exist, threads cannot be cancelled at all.
 */
static void load_what_the_end_needs(void) {
    dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Returns whether LTTng-UST learns of forks (lttng-ust(3), liblttng-ust-fork.so). The shim notifies
 * it, once the shim knows that LTTng-UST is in the process. Repeating that has no effect. */
static bool forks_are_seen(void) {
    int (*opened)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_opened");
    if (opened)
        return opened() == 0;
    Dl_info where;
    return dladdr(dlsym(RTLD_DEFAULT, "fork"), &where) && where.dli_fname &&
           strstr(where.dli_fname, "liblttng-ust-fork");
}

static bool start(void) {
    load_what_the_end_needs();
    pinsight_lttng_clock_ready();
    return forks_are_seen();
}

static enum pinsight_joined fork_child(struct pinsight_counts_grant *grant) {
    pinsight_lttng_clock_fork_child();
    return pinsight_session_join(grant);
}

/* LTTng-UST replaces the array of probes when a session enables or disables the event. */
static uintptr_t listeners(void) {
    return (uintptr_t)__atomic_load_n(
        &lttng_ust_tracepoint_pinsight_lttng_ust___process_info.probes, __ATOMIC_RELAXED);
}

/* Definitions always wait for a full buffer. Events of a domain wait only with --lossless. */
static bool may_wait(void) {
    const char *lossless = getenv("PINSIGHT_LOSSLESS");
    return lossless && strcmp(lossless, "1") == 0;
}

/* The recorder that this libpinsight has beside the file recorder (src/tracer/record/recorder.c).
 */
extern const struct pinsight_recorder pinsight_recorder_here;

const struct pinsight_recorder pinsight_recorder_here = {
    .name = "lttng",
    .start = start,
    .join = pinsight_session_join,
    /* The session knows the child before LTTng-UST registers it, so that none of its events are
     * missed. LTTng-UST cannot be used yet. */
    .fork_child = fork_child,
    .listeners = listeners,
    .may_wait = may_wait,
    .has_counts = true,
    /* The channel gives up after two seconds (liblttng-ctl, blocking time-out). A definition that
     * was slow and has a reader takes less. */
    .unread_ns = 1000000000u,
    .unanswered = "try again when LTTng's session daemon is less busy",
    .unread = "was the LTTng session or consumer daemon killed or stopped?",
};
