/* Facts about this process; see process.h. */
#include "tracer/core/process.h"

#include "base/attached.h"
#include "base/clock.h"
#include "format/ring_head.h"
#include "tracer/core/control.h"
#include "tracer/core/count.h"
#include "tracer/core/domain.h"
#include "tracer/core/info.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/pause.h"
#include "tracer/core/plain.h"
#include "tracer/core/recorded.h"
#include "tracer/core/settings.h"
#include "tracer/core/signals.h"
#include "tracer/core/thread.h"
#include "tracer/core/thread_start.h"
#include "tracer/core/watchdog.h"
#include "tracer/core/window.h"
#include "tracer/record/core.h"
#include "tracer/record/recorder.h"
#include "tracer/record/stream.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pinsight_own_process pinsight_process = {
    .rank = -1, .session_version = 1, .decision_version = 1, .objects = 1};

/* The launchers' variables with a process's rank: Open MPI, PMIx, MPICH and Intel MPI (PMI),
 * MVAPICH, Cray's PALS, Flux, Slurm. */
static const char slurm_rank[] = "SLURM_PROCID";
static const char *const rank_variables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",      "PMI_RANK", "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",          "FLUX_TASK_RANK", slurm_rank,
};

/* Returns whether the variable belongs to a batch script. Slurm sets it to task 0 there; only
 * srun's steps have ranks. */
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

/* Increases a version. Skips 0, which means "never". */
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

/* Returns a new number, from the processor's counter if there is one, because a library may have
 * replaced the clocks. */
static uint64_t make_program_number(void) {
    const uint64_t ticks = pinsight_stream_ticks();
    return (ticks ? ticks : pinsight_now_ns()) | 1;
}

/* Whether the recorder can record forked children. */
static bool forks_are_seen;

/* Runs in the child of a fork, inside fork(). Only the forking thread exists, and the recorder is
 * not usable yet. Therefore the function only discards the parent's state. */
static void after_fork_in_child(void) {
    pinsight_count_fork_child();
    pinsight_process.pid = (int32_t)getpid();
    pinsight_process.program_number = make_program_number();
    if (!forks_are_seen) {
        /* Its events would have the parent's number. */
        pinsight_process.silent = true;
        if (pinsight_plain())
            pinsight_plain_lost(PINSIGHT_PLAIN_FORKS);
        PINSIGHT_EACH_DOMAIN(domain) {
            pinsight_domain_request_mode(domain, PINSIGHT_MODE_OFF);
        }
    }
    struct pinsight_counts_grant grant = {-1, 0};
    if (!pinsight_process.silent)
        pinsight_recorder->fork_child(&grant);
    pinsight_recorded_fork_child(&grant);
    pinsight_session_version_next();
    pinsight_watchdog_fork_child();
    pinsight_control_fork_child();
    pinsight_window_fork_child();
    pinsight_threads_pause_fork_child();
    /* domains notice it later, because no thread may be started here */
    pinsight_window_version_next();
    pinsight_thread_start_fork_child();
    PINSIGHT_DOMAINS_CALL(fork_child, pinsight_thread_there());
    pinsight_thread_fork_child();
}

/* Reports that a launcher has started this process, with the environment of a run, on another
 * host. */
static void report_if_on_another_host(void) {
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
    /* If the local ranks are known, only one process of a host reports. */
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

/* Asks the shim to report unloaded libraries. */
static void follow_unloads(void) {
    void (*follow)(void (*)(void)) =
        (void (*)(void (*)(void)))(uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_on_unload");
    if (follow)
        follow(pinsight_objects_unloaded);
}

/* Finds out whether this process is a child whose fork no hook reported. It continues with its
 * parent's state, and records the definitions again. */
static void look_whose_process(void) {
    int32_t pid = (int32_t)getpid();
    if (pinsight_process.pid == pid)
        return;
    pinsight_process.pid = pid;
    pinsight_process.program_number = make_program_number();
    pinsight_session_version_next();
}

static void report_loss(const char *path, const char *why) {
    static struct pinsight_log_once loss = PINSIGHT_LOG_ONCE_INIT;
    pinsight_log_once(&loss, "%s cannot be written: %s; unwritten events are lost, and counted",
                      path, why);
}

/* Returns whether the flight recorder bounds the trace. The recorder reads the variable itself. */
static bool look_at_ring(void) {
    static struct pinsight_log_once no_ring = PINSIGHT_LOG_ONCE_INIT;
    const char *ring = getenv(PINSIGHT_RING_VARIABLE);

    if (pinsight_recorder->is_ring && pinsight_recorder->is_ring())
        return true;
    if (!ring || !*ring || pinsight_recorder_output)
        return false;
    pinsight_log_once(&no_ring,
                      PINSIGHT_RING_VARIABLE
                      " is '%.32s', and all is kept: it takes " PINSIGHT_RING_FORMS
                      ", and needs the file recorder",
                      ring);
    return false;
}

static void note_limit(void) {
    pinsight_process.max_size = look_at_ring() ? 0 : size_from_environment("PINSIGHT_MAX_SIZE");
}

static void start(void) {
    static struct pinsight_log_once unanswered = PINSIGHT_LOG_ONCE_INIT;
    static struct pinsight_log_once no_recorder = PINSIGHT_LOG_ONCE_INIT;

    pinsight_process.pid = (int32_t)getpid();
    pinsight_process.program_number = make_program_number();
    const char *missing = pinsight_recorder_choose();
    pinsight_recorder_on_loss = report_loss;
    pinsight_recorder_on_first = look_whose_process;
    pinsight_recorder_on_alone = pinsight_control_alone;
    if (missing || pinsight_recorder_link(PINSIGHT_RECORD_CORE_LINK) != 0) {
        pinsight_log_once(&no_recorder, "process %d is not recorded: %s; install PInsight again",
                          (int)getpid(), missing ? missing : "a part of the recorder is missing");
        pinsight_process.silent = true;
    }
    pinsight_domains_link();
    forks_are_seen = pinsight_recorder->start();
    follow_unloads();
    pinsight_thread_starts_follow();
    struct pinsight_counts_grant grant = {-1, 0};
    /* The file recorder must not replace a recorder that is missing. */
    enum pinsight_joined joined =
        pinsight_process.silent ? PINSIGHT_JOINED : pinsight_recorder->join(&grant);
    if (joined == PINSIGHT_JOIN_OVER)
        report_if_on_another_host();
    if (joined == PINSIGHT_JOIN_UNANSWERED)
        pinsight_log_once(&unanswered,
                          "the session of this run does not answer, so process %d is not recorded; "
                          "%s",
                          (int)pinsight_process.pid, pinsight_recorder->unanswered);
    note_limit();
    pinsight_process.lossless = pinsight_recorder->may_wait();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    pinsight_recorded_start(&grant);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool started;

void pinsight_process_start(void) {
    pthread_once(&once, start);
    atomic_store(&started, true);
}

/* ---- attaching and detaching ---- */

static char attached_output[PATH_MAX]; /* the folder of an attached recording, or "" */
static char attached_ring[32];

const char *pinsight_process_output(void) {
    return attached_output;
}

/* Joins a recorder again, in a process that was recorded before and is not now. */
static bool rejoin(void) {
    struct pinsight_counts_grant grant = {-1, 0};
    pinsight_recorded_reset();
    bool joined = pinsight_recorder->join(&grant) == PINSIGHT_JOINED;
    if (joined) {
        note_limit();
        pinsight_session_version_next();
    }
    return joined;
}

const char *pinsight_process_begin(const char *output, const char *ring) {
    bool is_first = !atomic_load(&started);
    if (*attached_output)
        return PINSIGHT_RECORDED_ALREADY;
    if (*output != '/' || strlen(output) >= sizeof attached_output)
        return "its folder has no whole path, or one that is too long";
    if (!is_first && (pinsight_process.silent || !pinsight_recorder->end))
        return "it was recorded before in a way that does not end";
    if (!is_first && pinsight_recorder->listeners())
        return PINSIGHT_RECORDED_ALREADY;
    if (strlen(ring) >= sizeof attached_ring)
        return "its limit of the flight recorder is too long";
    strcpy(attached_output, output);
    strcpy(attached_ring, ring);
    pinsight_recorder_output = attached_output;
    pinsight_recorder_ring = attached_ring;
    if (is_first)
        pinsight_process_start();
    else if (!rejoin())
        pinsight_recorder_output = NULL;
    if (pinsight_recorder_output && pinsight_recorder->listeners())
        return NULL;
    pinsight_recorder_output = NULL;
    *attached_output = '\0';
    return "its folder cannot be written by that process";
}

void pinsight_process_end(void) {
    if (!*attached_output)
        return;
    pinsight_control_stop();
    pinsight_signals_give_back();
    pinsight_recorded_report_all(true);
    if (pinsight_recorder->end)
        pinsight_recorder->end();
    pinsight_info_sessions_changed();
    *attached_output = '\0';
}
