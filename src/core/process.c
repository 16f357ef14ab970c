/* What is known of this process; see process.h. */
#include "core/process.h"

#include "core/control.h"
#include "core/domain.h"
#include "core/log.h"
#include "core/mode.h"
#include "core/pause.h"
#include "core/recorded.h"
#include "core/settings.h"
#include "core/thread.h"
#include "core/watchdog.h"
#include "core/window.h"
#include "record/join.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pinsight_own_process pinsight_process = {
    .rank = -1, .session_version = 1, .decision_version = 1, .objects = 1};

/* Where launchers say a process's rank: Open MPI, PMIx, MPICH and Intel MPI (PMI), MVAPICH, Cray's
 * PALS, Flux, Slurm. */
static const char slurm_rank[] = "SLURM_PROCID";
static const char *const rank_variables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",      "PMI_RANK", "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",          "FLUX_TASK_RANK", slurm_rank,
};

/* A batch script of Slurm's has its variables too, as a task 0; only srun's steps have ranks. */
static bool is_of_batch_script(const char *variable) {
    return variable == slurm_rank && getenv("SLURM_JOB_ID") && !getenv("SLURM_STEP_ID");
}

int32_t pinsight_process_find_rank(void) {
    for (unsigned i = 0; i < sizeof rank_variables / sizeof rank_variables[0]; i++) {
        const char *text = getenv(rank_variables[i]);
        if (!text || !*text || is_of_batch_script(rank_variables[i]))
            continue;
        char *end;
        errno = 0;
        long rank = strtol(text, &end, 10);
        if (!errno && !*end && rank >= 0 && rank <= INT32_MAX)
            return (int32_t)rank;
    }
    return -1;
}

static uint64_t size_from_environment(const char *variable) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* 0 means "never". */
static void next(_Atomic uint32_t *number) {
    if (atomic_fetch_add(number, 1) == UINT32_MAX)
        atomic_fetch_add(number, 1);
}

void pinsight_objects_unloaded(void) {
    next(&pinsight_process.objects);
}

void pinsight_decision_version_next(void) {
    next(&pinsight_process.decision_version);
}

void pinsight_session_version_next(void) {
    next(&pinsight_process.session_version);
    next(&pinsight_process.decision_version);
}

/* Who forks must tell LTTng-UST (lttng-ust(3), liblttng-ust-fork.so): the preloaded shim does. */
static bool forks_are_seen;

/* In the child of a fork only the forking thread is left, and LTTng-UST is not yet usable: this
 * runs inside fork(), before LTTng's own handling of it. So it only forgets; events come later. */
static void after_fork_in_child(void) {
    pinsight_process.pid = (int32_t)getpid();
    if (!forks_are_seen) {
        /* What it recorded would carry its parent's number. */
        pinsight_process.silent = true;
        for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
            struct pinsight_domain *domain = pinsight_domain_at(slot);
            if (domain)
                pinsight_domain_request_mode(domain, PINSIGHT_MODE_OFF);
        }
    }
    /* Known to the session before LTTng-UST registers the child, so that nothing of it is missed.
     */
    struct pinsight_counts_grant grant;
    pinsight_session_join(&grant);
    pinsight_recorded_fork_child(&grant);
    pinsight_session_version_next();
    pinsight_watchdog_fork_child();
    pinsight_control_fork_child();
    pinsight_window_fork_child();
    pinsight_threads_pause_fork_child();
    pinsight_window_version_next(); /* domains see it later: no thread may start in here */
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = pinsight_domain_at(slot);
        if (domain && domain->fork_child)
            domain->fork_child(domain, pinsight_thread_self);
    }
    pinsight_thread_fork_child();
}

/* Is the shim preloaded, or LTTng-UST's own library that follows forks? */
static bool look_for_fork_support(void) {
    /* The shim follows forks once it is told that LTTng-UST is here; to tell it again does nothing.
     */
    int (*opened)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_opened");
    if (opened)
        return opened() == 0;
    Dl_info where;
    return dladdr(dlsym(RTLD_DEFAULT, "fork"), &where) && where.dli_fname &&
           strstr(where.dli_fname, "liblttng-ust-fork");
}

/* A launcher took this process, with the environment of a run, to another host. */
static void say_if_on_another_host(void) {
    static struct pinsight_log_once elsewhere = PINSIGHT_LOG_ONCE_INIT;
    static const char *const local_rank_variables[] = {
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "PMI_LOCAL_RANK",
        "SLURM_LOCALID",
    };
    const char *home = getenv(PINSIGHT_HOST_VARIABLE);
    char host[HOST_NAME_MAX + 1] = "";

    if (!home || gethostname(host, sizeof host - 1) != 0 || strcmp(home, host) == 0)
        return;
    /* One process of a host says it, where it is known which. */
    for (unsigned i = 0; i < sizeof local_rank_variables / sizeof local_rank_variables[0]; i++) {
        const char *text = getenv(local_rank_variables[i]);
        if (text && *text && strcmp(text, "0") != 0)
            return;
    }
    pinsight_log_once(&elsewhere,
                      "the processes on %s are not recorded, for the session of this run is on %s; "
                      "start PInsight on each host: mpirun ... pinsight run -o DIR -- python ...",
                      host, home);
}

/* Libraries that are unloaded are seen by the shim. */
static void follow_unloads(void) {
    void (*follow)(void (*)(void)) =
        (void (*)(void (*)(void)))(uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_on_unload");
    if (follow)
        follow(pinsight_objects_unloaded);
}

/*
 * LTTng-UST cancels its threads when the process ends. For the first pthread_cancel() glibc opens
 * libgcc_s.so.1, which aborts the process where no descriptor is free (glibc, nptl/pthread_cancel.c
 * and sysdeps/nptl/unwind-link.c). What is loaded already is not opened again. Without the library
 * nothing changes: then there is nothing to cancel with.
 */
static void load_what_the_end_needs(void) {
    dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void start(void) {
    load_what_the_end_needs();
    forks_are_seen = look_for_fork_support();
    follow_unloads();

    static struct pinsight_log_once not_joined = PINSIGHT_LOG_ONCE_INIT;

    pinsight_process.pid = (int32_t)getpid();
    struct pinsight_counts_grant grant;
    int joined = pinsight_session_join(&grant);
    if (joined > 0)
        say_if_on_another_host();
    if (joined < 0)
        pinsight_log_once(&not_joined,
                          "the session of this run does not answer, so process %d is not recorded; "
                          "try again when LTTng's session daemon is less busy",
                          (int)pinsight_process.pid);
    pinsight_process.max_size = size_from_environment("PINSIGHT_MAX_SIZE");
    const char *lossless = getenv("PINSIGHT_LOSSLESS");
    pinsight_process.lossless = lossless && strcmp(lossless, "1") == 0;
    pthread_atfork(NULL, NULL, after_fork_in_child);
    pinsight_recorded_start(&grant);
}

void pinsight_process_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}
