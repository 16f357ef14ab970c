/* LTTng-UST as the recorder of a process; see record/recorder.h. */
#include "record/recorder.h"

#include "pinsight/pinsight.h"
#include "record/lttng/core_tracepoints.h"
#include "record/lttng/join.h"
#include "record/lttng/thread_clock.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
 * LTTng-UST cancels its threads when the process ends. For the first pthread_cancel() glibc opens
 * libgcc_s.so.1, which aborts the process where no descriptor is free (glibc, nptl/pthread_cancel.c
 * and sysdeps/nptl/unwind-link.c). What is loaded already is not opened again. Without the library
 * nothing changes: then there is nothing to cancel with.
 */
static void load_what_the_end_needs(void) {
    dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Who forks must tell LTTng-UST (lttng-ust(3), liblttng-ust-fork.so). The shim does, once it is
 * told that LTTng-UST is here; to tell it again does nothing. */
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

/* LTTng-UST replaces the array of probes whenever a session enables or disables the event. */
static uintptr_t listeners(void) {
    return (uintptr_t)__atomic_load_n(
        &lttng_ust_tracepoint_pinsight_lttng_ust___process_info.probes, __ATOMIC_RELAXED);
}

/* Definitions always wait for a full buffer, what a domain records with --lossless alone. */
static bool may_wait(void) {
    const char *lossless = getenv("PINSIGHT_LOSSLESS");
    return lossless && strcmp(lossless, "1") == 0;
}

/* The one that this libpinsight has beside the file recorder (src/record/recorder.c). */
extern const struct pinsight_recorder pinsight_recorder_here;

const struct pinsight_recorder pinsight_recorder_here = {
    .name = "lttng",
    .start = start,
    .join = pinsight_session_join,
    /* Known to the session before LTTng-UST registers the child, after this: so nothing of the
     * child is missed. LTTng-UST cannot be used yet. */
    .fork_child = fork_child,
    .listeners = listeners,
    .may_wait = may_wait,
    .has_counts = true,
    /* The channel gives up after two seconds (liblttng-ctl, blocking time-out), so a definition
     * that was slow but read stays below. */
    .unread_ns = 1000000000u,
    .unanswered = "try again when LTTng's session daemon is less busy",
    .unread = "was the LTTng session or consumer daemon killed or stopped?",
};
