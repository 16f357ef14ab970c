/* What was not recorded, in sentences; and why, where it may not be seen at all. */
#include "views/not_recorded_say.h"

#include "reader/mem.h"
#include "session/run_info.h"
#include "views/cuda.h"
#include "views/mpi.h"
#include "views/not_recorded.h"
#include "views/openmp.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pinsight_speak(struct pinsight_speaker *speaker, int level, char *sentence) {
    speaker->say(speaker->data, level, sentence);
    speaker->serious += level > 0;
    free(sentence);
}

static void say_discards(struct pinsight_speaker *speaker,
                         const struct pinsight_not_recorded *missing, bool lossless) {
    char number[32];

    if (missing->discarded_events && lossless)
        pinsight_speak(
            speaker, 1,
            pinsight_format("%s events were discarded: their buffer was full for longer than "
                            "--lossless waits. Record with a larger --buffer-size, or to a "
                            "faster disk.",
                            pinsight_units_count(number, missing->discarded_events)));
    else if (missing->discarded_events)
        pinsight_speak(
            speaker, 1,
            pinsight_format("%s events were discarded because the buffers were full: calls are "
                            "missing and times may be wrong. Record with --lossless, or with a "
                            "larger --buffer-size, or less (--events function).",
                            pinsight_units_count(number, missing->discarded_events)));
    if (missing->discarded_packets)
        pinsight_speak(speaker, 1,
                       pinsight_format("%s packets of events were overwritten or lost: record with "
                                       "--lossless.",
                                       pinsight_units_count(number, missing->discarded_packets)));
    if (missing->unclear_discards)
        pinsight_speak(
            speaker, 1,
            pinsight_strdup("Events were discarded, and the trace does not say how many: record "
                            "with --lossless."));
    if (missing->damaged_streams)
        pinsight_speak(speaker, 1,
                       pinsight_format(
                           "%" PRIu64 " of the trace's streams %s damaged; what stands before "
                           "the damage is in the numbers.",
                           missing->damaged_streams, missing->damaged_streams == 1 ? "is" : "are"));
    if (missing->daemon_died)
        pinsight_speak(
            speaker, 1,
            pinsight_strdup("LTTng's daemon ended before the program did: the last second of "
                            "events before that may be missing, and all after it."));
    else if (missing->incomplete)
        pinsight_speak(speaker, 1,
                       pinsight_strdup("Not everything reached the disk: the recording was cut "
                                       "short."));
    else if (missing->unended)
        pinsight_speak(
            speaker, 1,
            pinsight_strdup("`pinsight run` was killed, or is still running: the last second of "
                            "events may be missing."));
    if (missing->stopped)
        pinsight_speak(speaker, 1,
                       pinsight_strdup("The reading was interrupted: this is the trace's "
                                       "beginning."));
}

static void say_frames(struct pinsight_speaker *speaker,
                       const struct pinsight_not_recorded *missing) {
    char number[32];

    if (missing->lost_frames)
        pinsight_speak(
            speaker, 1,
            pinsight_format("%s calls were closed as lost: their end was not seen, and their "
                            "time is until then.",
                            pinsight_units_count(number, missing->lost_frames)));
    if (missing->dropped_ends)
        pinsight_speak(speaker, 1,
                       pinsight_format("%s ends of calls were left out: their begin was not seen.",
                                       pinsight_units_count(number, missing->dropped_ends)));
    if (missing->began_before)
        pinsight_speak(speaker, 0,
                       pinsight_format("%s %s before this chunk and ended in it: %s left out.",
                                       pinsight_units_count(number, missing->began_before),
                                       missing->began_before == 1 ? "call began" : "calls began",
                                       missing->began_before == 1 ? "it is" : "they are"));
    if (missing->open_at_end)
        pinsight_speak(
            speaker, 0,
            pinsight_format("%s %s still running when the trace ends, and counted until there.",
                            pinsight_units_count(number, missing->open_at_end),
                            missing->open_at_end == 1 ? "call was" : "calls were"));
    if (missing->unnamed_functions)
        pinsight_speak(speaker, 1,
                       pinsight_format("%s functions have no name in the trace.",
                                       pinsight_units_count(number, missing->unnamed_functions)));
    if (missing->folded_calls)
        pinsight_speak(
            speaker, 0,
            pinsight_format("%s calls are counted with their caller: the tree has no room for "
                            "more branches. Narrow it with --thread.",
                            pinsight_units_count(number, missing->folded_calls)));
}

/* Why there is nothing to see. */
static void say_nothing_recorded(struct pinsight_speaker *speaker,
                                 const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    bool announced = false;

    if (report->thread_count || pinsight_omp_seen(report) || pinsight_mpi_seen(report) ||
        pinsight_cuda_seen(report) || report->options.thread >= 0 || report->options.process >= 0)
        return;
    for (size_t i = 0; i < model->process_count; i++)
        announced |= model->processes[i]->has_info;
    if (announced)
        pinsight_speak(
            speaker, 0,
            pinsight_strdup("No call was recorded: Python was OFF or in STANDBY, its events were "
                            "switched off, or a configuration left everything out "
                            "(PINSIGHT_TRACE_PYTHON, --domains, --events, -c)."));
    else
        pinsight_speak(
            speaker, 0,
            pinsight_strdup("No Python was seen: the command started none, or one that cannot "
                            "be reached (under env -i, set-uid, or a static executable)."));
}

/* Whether a function of a package was recorded: a part of its file's path says which. */
static bool has_code_of(const struct pinsight_report *report, const char *part) {
    for (size_t i = 0; i < report->function_count; i++)
        if (strstr(report->functions[i].file, part))
            return true;
    return false;
}

/* What OpenMP there may be that was not seen, as `pinsight run` found before the start. */
static void say_openmp(struct pinsight_speaker *speaker, const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;
    const char *blas_name;
    bool asked, blas;

    if (!run || !run->openmp[0])
        return;
    asked = !strcmp(run->openmp, "asked");
    blas = run->thread_blas[0] && (asked || has_code_of(report, "/numpy/"));
    blas_name = strrchr(run->thread_blas, '/');
    if (blas)
        pinsight_speak(
            speaker, 0,
            pinsight_format("NumPy's BLAS (%s) has threads of its own (pthreads), which no OpenMP "
                            "tool sees. Debian's libopenblas0-openmp, conda's "
                            "\"libopenblas=*=*openmp*\" or a site's NumPy would show them.",
                            blas_name ? blas_name + 1 : run->thread_blas));
    if (!pinsight_omp_seen(report) && run->openmp_unseen[0])
        pinsight_speak(speaker, 0, pinsight_strdup(run->openmp_unseen));
}

/* What of devices is not there, or not as it was. */
static void say_cuda(struct pinsight_speaker *speaker, const struct pinsight_cuda *cuda) {
    char number[32], time[32];

    if (cuda->unanswered)
        pinsight_speak(speaker, 0,
                       pinsight_format("Of %s CUDA calls there is no record of what a device did "
                                       "for them: there was nothing to do, or records were not "
                                       "handed over before the end, or were lost.",
                                       pinsight_units_count(number, cuda->unanswered)));
    if (cuda->without_call)
        pinsight_speak(speaker, 0,
                       pinsight_format("Of %s records of devices' work the call is not in the "
                                       "trace: what Python caused it is not known.",
                                       pinsight_units_count(number, cuda->without_call)));
    if (cuda->without_times)
        pinsight_speak(speaker, 1,
                       pinsight_format("%s records of devices' work have no times, and are left "
                                       "out.",
                                       pinsight_units_count(number, cuda->without_times)));
    if (cuda->shortened)
        pinsight_speak(speaker, 0,
                       pinsight_format("%s pieces of devices' work overlap what was before them in "
                                       "their stream, or their call: they begin later here, by "
                                       "%s in all.",
                                       pinsight_units_count(number, cuda->shortened),
                                       pinsight_units_time(time, cuda->shortened_ns)));
}

unsigned pinsight_not_recorded_say(const struct pinsight_report *report,
                                   void (*say)(void *data, int level, const char *sentence),
                                   void *data) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    struct pinsight_speaker speaker = {say, data, 0};
    char size[32];

    say_discards(&speaker, missing, report->options.run && report->options.run->lossless);
    say_frames(&speaker, missing);
    if (missing->size_limit_processes)
        pinsight_speak(
            &speaker, 1,
            missing->size_limit
                ? pinsight_format("%" PRIu64 " %s reached the size limit of %s and went on "
                                  "counting without events. A larger --max-size records more.",
                                  missing->size_limit_processes,
                                  missing->size_limit_processes == 1 ? "process" : "processes",
                                  pinsight_units_size(size, missing->size_limit))
                : pinsight_format("%" PRIu64 " %s reached the size limit and went on counting "
                                  "without events. A larger --max-size records more.",
                                  missing->size_limit_processes,
                                  missing->size_limit_processes == 1 ? "process" : "processes"));
    pinsight_say_selection(&speaker, report);
    pinsight_say_windows(&speaker, report);
    if (missing->pauses)
        pinsight_speak(&speaker, 0,
                       pinsight_format("%" PRIu64
                                       " introspection%s held the program, for %s in all: that is "
                                       "in no call's time.",
                                       missing->pauses, missing->pauses == 1 ? "" : "s",
                                       pinsight_units_time(size, missing->paused_ns)));
    say_nothing_recorded(&speaker, report);
    say_openmp(&speaker, report);
    if (report->model->cuda)
        say_cuda(&speaker, report->model->cuda);
    if (report->only_counted)
        pinsight_speak(
            &speaker, 0,
            pinsight_strdup("Calls were counted (MONITORING) and not traced: callers, single "
                            "times and the call tree are not known."));
    if (report->mixed)
        pinsight_speak(
            &speaker, 0,
            pinsight_strdup("Calls that were counted (MONITORING) have no events: the call tree "
                            "lacks them, and the self time of a traced function that made them "
                            "has their time too."));
    if (missing->silent_processes)
        pinsight_speak(&speaker, 0,
                       pinsight_format("%" PRIu64 " %s recorded no event.",
                                       missing->silent_processes,
                                       missing->silent_processes == 1 ? "process" : "processes"));
    return speaker.serious;
}
