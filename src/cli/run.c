/* `pinsight run`: runs a command in a session. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/message.h"
#include "base/paths.h"
#include "base/peak.h"
#include "base/plain.h"
#include "base/program.h"
#include "base/run_info.h"
#include "cli/options.h"
#include "cli/run_after.h"
#include "cli/run_config.h"
#include "cli/run_end.h"
#include "cli/run_errors.h"
#include "cli/run_openmp.h"
#include "cli/run_options.h"
#include "cli/run_output.h"
#include "cli/run_script.h"
#include "cli/verbs.h"
#include "pinsight_version.h"
#include "session/env.h"
#include "session/launch.h"
#include "session/node_group.h"
#include "session/process_list.h"
#include "session/recorder.h"
#include "session/wait.h"

enum { EXIT_USAGE = 2 };

struct run {
    struct pinsight_run_options options;
    struct pinsight_run_config config;
    struct pinsight_run_openmp openmp;
    bool plain;        /* PINSIGHT_PLAIN=1 */
    char program[256]; /* name of the run */
    struct pinsight_job job;
    char libdir[PATH_MAX];
    char output[PATH_MAX];
    bool made_output;
    bool space_limits; /* the free space limits the trace */
    bool unstarted;    /* the command could not be executed */
    struct pinsight_signals signals;
    struct pinsight_ending ending;
    struct pinsight_worker after; /* the process that keeps a job's session */
    struct pinsight_run_info info;
};

/* Begins to record. Ends this process if a signal has come meanwhile. */
static void start_recording(struct run *run) {
    struct pinsight_recording *recording = &run->ending.recording;
    struct pinsight_session_config config;

    memset(&config, 0, sizeof(config));
    snprintf(config.output, sizeof(config.output), "%s", run->output);
    config.registry = run->config.registry;
    config.lossless = run->options.lossless;
    config.buffer_size = run->options.buffer_size;
    config.made_output = run->made_output;
    config.job = run->job;
    snprintf(config.program, sizeof(config.program), "%.40s", run->program);
    snprintf(config.libdir, sizeof(config.libdir), "%s", run->libdir);
    recording->recorder = run->options.recorder;
    recording->fd = recording->kept[0] = recording->kept[1] = recording->kept[2] = -1;
    snprintf(recording->output, sizeof(recording->output), "%s", run->output);
    int number = recording->recorder->start(recording, &config, &run->signals);
    if (number != 0) {
        if (run->made_output) {
            rmdir(run->output);
        }
        pinsight_end_like(number);
    }
}

static void fill_info(struct run *run) {
    struct pinsight_run_info *info = &run->info;
    time_t now = time(NULL);
    struct tm calendar;

    snprintf(info->version, sizeof(info->version), "%s", PINSIGHT_VERSION);
    pinsight_run_info_quote(run->options.command, info->command, sizeof(info->command));
    snprintf(info->recorder, sizeof(info->recorder), "%s", run->options.recorder->name);
    snprintf(info->session, sizeof(info->session), "%s", run->ending.recording.session);
    gmtime_r(&now, &calendar);
    strftime(info->started, sizeof(info->started), "%Y-%m-%dT%H:%M:%SZ", &calendar);
    snprintf(info->config, sizeof(info->config), "%s", run->config.path);
    snprintf(info->names, sizeof(info->names), "%s", run->config.registry ? "registry" : "inline");
    snprintf(info->events, sizeof(info->events), "%s", run->config.events);
    snprintf(info->openmp, sizeof(info->openmp), "%s",
             run->config.openmp_asked ? "asked"
             : run->config.openmp     ? "default"
                                      : "");
    snprintf(info->thread_blas, sizeof(info->thread_blas), "%s", run->openmp.thread_blas);
    snprintf(info->openmp_unseen, sizeof(info->openmp_unseen), "%s", run->openmp.unseen);
    info->one_host = run->job.unplaced || run->job.size > run->job.local_size;
    /* The session of a job ends with the last of its ranks, which is not known now. */
    if (run->job.local_size <= 1) {
        pinsight_run_info_set_runner(info, getpid());
    }
    pinsight_processor_model(info->processor, sizeof(info->processor));
    info->processors = pinsight_machine_processors();
    info->online = pinsight_machine_online();
    if (gethostname(info->host, sizeof(info->host)) != 0)
        info->host[0] = '\0';
    info->host[sizeof(info->host) - 1] = '\0';
    info->lossless = run->options.lossless;
    info->max_size = run->options.max_size;
    info->space_limits = run->space_limits;
    const char *budget =
        run->options.budget[0] != '\0' ? run->options.budget : pinsight_env_get("PINSIGHT_BUDGET");
    snprintf(info->budget, sizeof(info->budget), "%s", budget != NULL ? budget : "");
    snprintf(info->ring, sizeof(info->ring), "%s",
             run->options.ring != NULL ? run->options.ring : "");
}

static bool on_recorder(void *data) {
    struct pinsight_recording *recording = data;

    recording->recorder->receive(recording);
    return recording->fd >= 0;
}

/* Writes the tools that runtimes find by variables, if this build has them. If the user has set a
 * variable to another tool, it stays. */
static void take_tools(const struct run *run, struct pinsight_env_tool *tools) {
    char path[PATH_MAX];

    for (const struct pinsight_env_tool *tool = run->config.tools; tool->variable != NULL; tool++) {
        const char *there = getenv(tool->variable);
        if (!pinsight_path_join(path, run->libdir, tool->library) || access(path, R_OK) != 0) {
            continue;
        }
        *tools++ = *tool;
        if (there != NULL && !pinsight_env_is_tool(tool, there) && run->job.local_rank == 0) {
            pinsight_note("%s names another tool (%.200s), which keeps its place; unset it to have "
                          "its calls recorded",
                          tool->variable, there);
        }
    }
}

/* Returns the processor time of the children that were waited for, with that of their own children,
 * in ns. */
static uint64_t processor_of_children(void) {
    const uint64_t second = 1000000000, microsecond = 1000;
    struct rusage used;

    if (getrusage(RUSAGE_CHILDREN, &used) != 0) {
        return 0;
    }
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * second +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * microsecond;
}

/* Returns the wait status of the command, or ends this process if it cannot be executed. */
static int run_command(struct run *run) {
    char preload[PATH_MAX], mpi[PATH_MAX], gomp[PATH_MAX], blas[PATH_MAX], tool[PATH_MAX];
    struct pinsight_recording *recording = &run->ending.recording;
    struct pinsight_env env = {
        .libdir = run->libdir,
        .recorder = recording->recorder->name,
        .session = recording->session,
        .join = recording->join,
        .output = recording->output,
        .config = run->config.path,
        .domains = run->options.domains,
        .mode = run->options.mode,
        .events = run->options.events,
        .lines = run->options.lines,
        .budget = run->options.budget,
        .names = run->options.names,
        .lossless = run->options.lossless,
        .quiet = run->options.quiet,
        .max_size = run->options.max_size,
        .ring = run->options.ring,
        .ring_signal = run->options.ring_signal,
    };
    extern char **environ;
    char **variables = environ;
    struct pinsight_worker monitor;
    int error = 0;

    if (recording->session[0] != '\0') {
        const char *library =
            run->plain ? "libpinsight-preload-plain.so" : "libpinsight-preload.so";
        if (pinsight_env_find_preload(run->libdir, library, preload)) {
            env.preload = preload;
            if (run->config.mpi &&
                pinsight_env_find_preload(run->libdir, "libpinsight-preload-mpi.so", mpi)) {
                env.mpi = mpi; /* missing in a build without the MPI domain */
            }
            if (run->config.openmp && !run->plain &&
                pinsight_env_find_preload(run->libdir, PINSIGHT_GOMP, gomp)) {
                env.gomp = gomp;
            }
            if (run->config.blas && run->openmp.blas && !run->plain &&
                pinsight_env_find_preload(run->libdir, "libpinsight-preload-blas.so", blas)) {
                env.blas = blas;
            }
            take_tools(run, env.tools);
            if (run->openmp.named &&
                pinsight_env_find_preload(run->libdir, PINSIGHT_OPENMP_TOOL, tool)) {
                env.tool = tool;
            }
        } else {
            pinsight_error("%s is not in %s, so no Python is traced; install "
                           "PInsight again, or name its folder in PINSIGHT_LIBDIR",
                           library, run->libdir);
        }
        variables = pinsight_env_build(environ, &env);
    }
    pinsight_signal_monitor_start(&monitor);
    pid_t pid = variables != NULL
                    ? pinsight_launch(run->options.command, variables, &run->signals, &error)
                    : 0;
    if (pid == 0) {
        run->unstarted = true;
        pinsight_worker_kill(&monitor);
        return pinsight_run_report_exec(run->options.command[0], error != 0 ? error : ENOMEM) << 8;
    }
    int status = pinsight_wait_for(pid, &run->signals, monitor.fd, recording->fd, on_recorder,
                                   recording, &run->ending.told_to_end);
    pinsight_worker_kill(&monitor);
    return status;
}

/* Limits the trace of each process by the free space, unless the user did. The ranks of a job on
 * this host share it. */
static void limit_size(struct run *run) {
    uint64_t room = pinsight_run_output_room(run->output);

    if (room != UINT64_MAX && run->job.local_size > 1) {
        room /= (uint64_t)run->job.local_size;
    }
    run->space_limits = run->options.limits_size && room < run->options.max_size;
    if (run->space_limits) {
        run->options.max_size = room > 0 ? room : 1;
    }
}

static int prepare(struct run *run, int argc, char **argv) {
    char text[PATH_MAX + 256], note[256], runs_in[2 * PATH_MAX], path[PATH_MAX];
    int status;

    if (!pinsight_run_options_read(&run->options, argc, argv, &status, note, sizeof(note))) {
        return status;
    }
    pinsight_message_quiet(run->options.quiet);
    if (*note != '\0') {
        pinsight_note("%s", note);
    }
    if (!pinsight_run_config_read(&run->config, &run->options)) {
        return EXIT_USAGE;
    }
    pinsight_run_output_program(run->program, sizeof(run->program), run->options.command);
    status = pinsight_run_script_take(&run->options.command, runs_in, sizeof(runs_in));
    if (status >= 0) {
        return status;
    }
    const char *name = run->options.command[0];
    int error = pinsight_program_find(name, path);
    if (error != 0) {
        return pinsight_run_report_start(name, error);
    }
    if (!pinsight_path_libdir(run->libdir)) {
        const char *given = getenv("PINSIGHT_LIBDIR");
        if (given != NULL && *given != '\0') {
            pinsight_error("PINSIGHT_LIBDIR names %s: %s; correct it or unset it", given,
                           strerror(errno));
        } else {
            pinsight_error("PInsight's libraries are not beside the command; install it again, "
                           "or name their folder in PINSIGHT_LIBDIR");
        }
        return EXIT_USAGE;
    }
    const char *plain = getenv(PINSIGHT_PLAIN_VARIABLE);
    if (!pinsight_plain_is_known(plain)) {
        pinsight_error("PINSIGHT_PLAIN is '%s'; use 1 (or 0, which is the default)", plain);
        return EXIT_USAGE;
    }
    run->plain = pinsight_plain_is_asked(plain);
    if (run->config.openmp || run->config.blas) {
        bool there =
            pinsight_path_join(path, run->libdir, PINSIGHT_GOMP) && access(path, R_OK) == 0;
        pinsight_run_openmp_look(&run->openmp,
                                 run->plain ? "with PINSIGHT_PLAIN=1 nothing stands before it"
                                 : there    ? NULL
                                            : "this build has no " PINSIGHT_GOMP,
                                 run->config.openmp_asked, run->options.command);
        if (!run->config.openmp) {
            run->openmp = (struct pinsight_run_openmp){.blas = run->openmp.blas};
        }
    }
    pinsight_job_look(&run->job, getenv);
    if (run->job.unplaced) {
        run->job.local_rank = pinsight_node_group_claim(&run->job) ? 0 : 1;
    }
    if (!pinsight_run_output_name(run->output, run->options.output, run->program, &run->job, text,
                                  sizeof(text))) {
        pinsight_error("%s", text);
        return EXIT_USAGE;
    }
    /* A job's folder has no number, because all ranks must find the same folder. */
    bool is_alone = !run->job.unplaced && run->job.size <= 1 && run->job.local_size <= 1;
    if (run->job.local_rank == 0 &&
        !pinsight_run_output_make(run->output, run->options.output == NULL && is_alone,
                                  run->options.force, &run->made_output, text, sizeof(text))) {
        pinsight_error("%s", text);
        return EXIT_USAGE;
    }
    pinsight_run_output_straighten(run->output);
    limit_size(run);
    pinsight_process_list_note_run(pinsight_env_get("PINSIGHT_OUTPUT"), run->output);
    if (*runs_in != '\0' && run->job.local_rank == 0) {
        pinsight_note("%s", runs_in);
    }
    return -1;
}

int pinsight_cmd_run(int argc, char **argv) {
    static struct run run;

    int done = prepare(&run, argc, argv);
    if (done >= 0) {
        return done;
    }
    int error = pinsight_launch_signals_take(&run.signals);
    if (error != 0) {
        pinsight_error("signals cannot be passed on: %s", strerror(error));
        return 1;
    }
    start_recording(&run);
    const struct pinsight_recording *recording = &run.ending.recording;
    bool recorded = recording->keeps && recording->session[0] != '\0';
    fill_info(&run);
    if (recorded) {
        pinsight_run_info_write(recording->output, &run.info);
    }
    run.ending.quiet = run.options.quiet;
    run.ending.several_hosts = run.info.one_host;
    /* A job has one summary, from the host of rank 0. */
    run.ending.no_summary = run.options.no_summary ||
                            (run.ending.several_hosts && run.job.rank != 0 && !run.job.unplaced);
    run.after.fd = -1;
    if (recorded && run.job.local_size > 1) {
        pinsight_after_start(&run.after, &run.ending, &run.signals, &run.info);
    }
    uint64_t began = pinsight_now_ns();
    int status = run_command(&run);
    run.ending.wall_ns = pinsight_now_ns() - began;
    /* The time of one rank would not be that of the job. */
    run.ending.processor_ns = run.job.local_size > 1 ? 0 : processor_of_children();
    if (*run.openmp.message != '\0' && run.job.local_rank == 0) {
        pinsight_note("%s", run.openmp.message);
    }
    if (recording->keeps) {
        /* The other processes of a job may have recorded. */
        run.ending.unstarted = run.unstarted && run.job.local_size < 2;
        if (!pinsight_after_finish(&run.after, &run.ending, &run.signals, status)) {
            pinsight_ending_finish(&run.ending, &run.signals, &run.info, status);
        }
    } else {
        recording->recorder->leave(&run.ending.recording);
    }
    if (run.job.unplaced && run.job.local_rank == 0) {
        pinsight_node_group_unclaim(&run.job);
    }
    if (run.job.local_rank == 0 && (!recorded || run.ending.unstarted)) {
        pinsight_ending_clear(&run.ending);
        if (run.made_output) {
            rmdir(run.output);
        }
    }
    pinsight_end_like(status);
}
