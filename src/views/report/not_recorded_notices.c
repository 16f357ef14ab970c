/* Writes sentences on unrecorded things, with the reason if they cannot be seen at all. */
#include "views/report/not_recorded_notices.h"

#include "base/memory.h"
#include "base/run_info.h"
#include "base/text.h"
#include "base/units.h"
#include "format/allocated_lines.h"
#include "format/folder.h"
#include "views/domain.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/process_name.h"
#include "views/report/host_clocks.h"
#include "views/report/not_recorded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The most processes that have a sentence of their own. */
#define MOST_NAMED 5

void pinsight_notice(struct pinsight_notices *notices, int level, const char *format, ...) {
    va_list arguments;
    char *sentence, *clean;

    va_start(arguments, format);
    sentence = pinsight_format_list(format, arguments);
    va_end(arguments);
    clean = pinsight_text_clean(sentence);
    notices->take(notices->data, level, clean);
    notices->losses += pinsight_notice_is_loss(level);
    free(clean);
    free(sentence);
}

/* Returns whether the processes of the run wrote the trace themselves. */
static bool is_of_files(const struct pinsight_run_info *run) {
    return run && strcmp(run->recorder, PINSIGHT_RECORDER_FILE) == 0;
}

/* Passes on losses of a trace that processes wrote themselves. Such processes never drop an event
 * for lack of time. */
static void notice_lost(struct pinsight_notices *notices,
                        const struct pinsight_not_recorded *missing,
                        const struct pinsight_file_lost *lost) {
    uint64_t others = missing->discarded_events - lost->unwritten;

    const char *why = lost->error ? pinsight_file_why_lost(lost->error) : NULL;

    PINSIGHT_NOTICE_COUNTED(
        notices, PINSIGHT_NOTICE_WRONG, lost->unwritten, "event", "events",
        "(%s) could not be written%s%s: calls are missing and times may be wrong.",
        pinsight_units_size(lost->unwritten_bytes).text, why ? ", as " : "", why ? why : "");
    PINSIGHT_NOTICE_COUNTED(
        notices, PINSIGHT_NOTICE_WRONG, others, "event was", "events were",
        "lost: a signal handler's within another event, or of a thread for which there was no "
        "buffer%s%s.",
        why && !lost->unwritten ? ", as " : "", why && !lost->unwritten ? why : "");
}

/* Passes on damage of the trace's files. */
static void notice_damage(struct pinsight_notices *notices, const struct pinsight_report *report) {
    const struct pinsight_source_result *source = &report->source;
    uint32_t cut = source->damaged_streams - source->sorted_streams - source->lacking_streams;

    PINSIGHT_NOTICE_COUNT(
        notices, PINSIGHT_NOTICE_WRONG, cut,
        "%s of the trace's streams %s damaged; what stands before the damage is in the numbers.",
        cut == 1 ? "is" : "are");
    if (source->lacking_streams)
        pinsight_notice(
            notices, PINSIGHT_NOTICE_WRONG,
            "%s of the trace's streams %s %s packet%s of events; what stands before and behind is "
            "in the numbers.",
            pinsight_units_count(source->lacking_streams).text,
            source->lacking_streams == 1 ? "lacks" : "lack",
            pinsight_units_count(source->lacking_packets).text,
            source->lacking_packets == 1 ? "" : "s");
    PINSIGHT_NOTICE_COUNT(
        notices, PINSIGHT_NOTICE_WRONG, source->sorted_streams,
        "%s of the trace's streams %s packets twice or out of order, or %s; each packet is in the "
        "numbers once.",
        source->sorted_streams == 1 ? "has" : "have",
        source->sorted_streams == 1 ? "is a copy of another" : "are copies of others");
    if (!source->damaged_streams && source->warning_count)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG, "A part of the trace is left out: %s.",
                        source->warnings[0]);
}

static void notice_discards(struct pinsight_notices *notices,
                            const struct pinsight_report *report) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    const struct pinsight_run_info *run = report->options.run;
    bool lossless = run && run->lossless;
    bool files = report->source.is_of_files || is_of_files(run);

    if (files)
        notice_lost(notices, missing, &report->source.lost);
    else if (lossless)
        PINSIGHT_NOTICE_COUNTED(
            notices, PINSIGHT_NOTICE_WRONG, missing->discarded_events, "event was", "events were",
            "discarded: the buffer was full for longer than --lossless waits. Record with a larger "
            "--buffer-size, or to a faster disk.");
    else
        PINSIGHT_NOTICE_COUNTED(
            notices, PINSIGHT_NOTICE_WRONG, missing->discarded_events, "event was", "events were",
            "discarded because the buffers were full: calls are missing and times may be wrong. "
            "Record with --lossless, or with a larger --buffer-size, or less (--events function).");
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_WRONG, missing->discarded_packets,
                            "packet of events was", "packets of events were",
                            "overwritten or lost%s.", files ? "" : ": record with --lossless");
    if (missing->unclear_discards)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "Events were discarded, and the trace does not say how many%s.",
                        files ? "" : ": record with --lossless");
    notice_damage(notices, report);
    if (missing->daemon_died)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "LTTng's daemon ended before the program did: the last second of events "
                        "before that may be missing, and all after it.");
    else if (missing->incomplete)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "Not everything reached the disk: the recording was cut short.");
    else if (missing->unended && is_of_files(run))
        pinsight_notice(
            notices, PINSIGHT_NOTICE_ALWAYS,
            "`pinsight run` was killed, or is still running: this is the trace so far.");
    else if (missing->unended)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "`pinsight run` was killed, or is still running: the last second of events "
                        "may be missing.");
    if (missing->stopped)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "The reading was interrupted: this is the trace's beginning.");
}

static void notice_allocations(struct pinsight_notices *notices,
                               const struct pinsight_report *report) {
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_ALWAYS, report->model->further_allocations,
                            "allocation has", "allocations have",
                            "no line: a process counts %u lines, and then the "
                            "functions that it meets later as one.",
                            PINSIGHT_ALLOCATED_LINES_MOST);
}

/* Returns a text such as "4711 (worker 2)". The id allows a comparison with other tools. The caller
 * frees it. */
static char *name_of(const struct pinsight_report *report,
                     const struct pinsight_short_process *process) {
    const struct pinsight_model *model = report->model;
    char *text = pinsight_format("%" PRId64, process->pid), *name;

    for (size_t i = model->process_count; i-- > 0;) {
        if (model->processes[i]->pid != process->pid ||
            model->processes[i]->instance != process->instance || !view_processes_are_named(model))
            continue;
        name = view_process_short_name(model->processes[i]);
        if (strncmp(name, "process ", 8))
            pinsight_append(&text, " (%s)", name);
        free(name);
        break;
    }
    return text;
}

/* Passes on events that processes recorded but the trace lacks. */
static void notice_short_processes(struct pinsight_notices *notices,
                                   const struct pinsight_report *report) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    uint64_t unnamed = missing->missing_events;
    unsigned named = 0;

    for (size_t i = 0; i < report->source.short_count && named < MOST_NAMED; i++) {
        const struct pinsight_short_process *process = &report->source.short_processes[i];
        const bool is_one = process->missing == 1;
        char *name;

        if (!process->missing)
            continue;
        name = name_of(report, process);
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "%s%s event%s of process %s %s missing%s: it recorded %s, and %s did not "
                        "reach the trace.",
                        process->exact ? "" : "At least ",
                        pinsight_units_count(process->missing).text, is_one ? "" : "s", name,
                        is_one ? "is" : "are",
                        process->ended ? "" : ", which did not come to its end",
                        is_one ? "it" : "them", is_one ? "it" : "they");
        free(name);
        unnamed -= process->missing;
        named++;
    }
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_WRONG, unnamed, "event", "events",
                            "of further processes %s missing.", unnamed == 1 ? "is" : "are");
    if (missing->unsaid_processes)
        pinsight_notice(
            notices, PINSIGHT_NOTICE_MISSING,
            "%" PRIu64
            " %s killed, or left without a word, so that the last events of %s may be missing.",
            missing->unsaid_processes,
            missing->unsaid_processes == 1 ? "process was" : "processes were",
            missing->unsaid_processes == 1 ? "it" : "them");
}

static void notice_frames(struct pinsight_notices *notices,
                          const struct pinsight_not_recorded *missing, bool is_kept) {
    PINSIGHT_NOTICE_COUNTED(
        notices, PINSIGHT_NOTICE_WRONG, missing->lost_frames, "call was", "calls were",
        "closed as lost: %s end was not seen, and %s time is until then.",
        missing->lost_frames == 1 ? "its" : "their", missing->lost_frames == 1 ? "its" : "their");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_DETAIL, missing->under_way,
                          "%s %s still running when recording ended, and counted until then.",
                          missing->under_way == 1 ? "call was" : "calls were");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_MISSING, missing->cut_off,
                          "%s %s under way when a signal ended the process, or it left otherwise "
                          "without a word: %s own time is not counted. Collections of garbage "
                          "that were counted there are missing.",
                          missing->cut_off == 1 ? "call was" : "calls were",
                          missing->cut_off == 1 ? "its" : "their");
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_WRONG, missing->dropped_ends,
                            "end of a call was", "ends of calls were",
                            "left out: %s begin was not seen.",
                            missing->dropped_ends == 1 ? "its" : "their");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_MISSING, missing->began_before,
                          "%s %s before this %s and ended in it: %s left out.",
                          missing->began_before == 1 ? "call began" : "calls began",
                          is_kept ? "part" : "chunk",
                          missing->began_before == 1 ? "it is" : "they are");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_DETAIL, missing->open_at_end,
                          "%s %s still running when the trace ends, and counted until there.",
                          missing->open_at_end == 1 ? "call was" : "calls were");
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_WRONG, missing->unnamed_functions,
                            "function has", "functions have", "no name in the trace.");
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_ALWAYS, missing->folded_calls, "call is",
                            "calls are",
                            "counted with %s caller: the tree has no room for more branches. "
                            "Narrow it with --thread.",
                            missing->folded_calls == 1 ? "its" : "their");
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_ALWAYS, missing->folded_paths, "call is",
                            "calls are",
                            "counted by caller and callee, or by callee alone: there were too many "
                            "call paths in a process.");
}

/* Times that the program printed itself may differ. */
static void notice_clocks(struct pinsight_notices *notices, const struct pinsight_report *report) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    char *hosts = pinsight_host_clocks_text(report);

    if (hosts)
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS, "%s", hosts);
    free(hosts);
    if (missing->other_clocks)
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "The clock of %" PRIu64 " %s is not the machine's (%s). All times here are "
                        "the machine's.",
                        missing->other_clocks, missing->other_clocks == 1 ? "process" : "processes",
                        missing->other_clock);
}

/* Returns whether a Python ran without its extension. */
static bool is_untraced(const struct pinsight_run_info *run) {
    return run && (run->no_python[0] || run->is_not_loaded);
}

static void notice_untraced(struct pinsight_notices *notices, const struct pinsight_run_info *run) {
    if (!is_untraced(run))
        return;
    if (run->no_python[0])
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "Programs of Python %s ran untraced: PInsight has no extension for it; see "
                        "`pinsight doctor`.",
                        run->no_python);
    if (run->is_not_loaded)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "A Python ran untraced: its extension could not be loaded; see "
                        "`pinsight doctor`.");
}

/* Passes on the reason why nothing was recorded. */
static void notice_nothing_recorded(struct pinsight_notices *notices,
                                    const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    bool announced = false;

    if (report->thread_count || view_domains_seen(report) || report->options.thread >= 0 ||
        report->options.process >= 0 || report->options.ranks)
        return;
    for (size_t i = 0; i < model->process_count; i++)
        announced |= model->processes[i]->has_info;
    if (announced)
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "No call was recorded: Python was OFF or in STANDBY, its events were "
                        "switched off, or a configuration left everything out "
                        "(PINSIGHT_TRACE_PYTHON, --domains, --events, -c).");
    else if (!report->options.run ||
             !(is_untraced(report->options.run) || report->options.run->missing_count ||
               report->options.run->running_count || report->options.run->inner[0]))
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "No Python was seen: the command started none, or one that cannot be "
                        "reached (set-uid, a static executable, a container, a program that "
                        "PyInstaller packed, which has to call pinsight.activate()). `pinsight "
                        "doctor -- COMMAND` says which.");
}

/* Passes on processes of the command that are missing in the trace, or whose end is missing. */
static void notice_absent(struct pinsight_notices *notices, const struct pinsight_run_info *run) {
    if (!run)
        return;
    if (run->missing_count)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "%s not in the trace: %s. LTTng did not take %s in time (the machine has "
                        "much to do, or ulimit -v leaves no room for buffers), or %s ended before.",
                        run->missing_count == 1 ? "A process is" : "Processes are", run->missing,
                        run->missing_count == 1 ? "it" : "them",
                        run->missing_count == 1 ? "it" : "they");
    if (run->running_count && is_of_files(run))
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "%s still running when the command had ended, and went on recording: %s.",
                        run->running_count == 1 ? "A process was" : "Processes were", run->running);
    else if (run->running_count)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "%s still running when the command had ended, and what %s did from then on "
                        "is not in the trace: %s.",
                        run->running_count == 1 ? "A process was" : "Processes were",
                        run->running_count == 1 ? "it" : "they", run->running);
    if (run->plain_missing[0])
        pinsight_notice(notices, PINSIGHT_NOTICE_MISSING, "The trace lacks, %s%s: %s.",
                        run->plain_why[0] ? "as " : "because of PINSIGHT_PLAIN=1", run->plain_why,
                        run->plain_missing);
    if (run->has_unseen_tasks)
        pinsight_notice(notices, PINSIGHT_NOTICE_MISSING,
                        "Tasks of asyncio are not recorded in a free-threaded Python: trace the "
                        "program with the usual build to see them.");
    if (run->inner[0])
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "What `pinsight run` within the command started is in its own trace: %s.",
                        run->inner);
}

unsigned pinsight_not_recorded_report(const struct pinsight_report *report,
                                      void (*take)(void *data, int level, const char *sentence),
                                      void *data) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    struct pinsight_notices notices = {take, data, 0};

    notice_discards(&notices, report);
    notice_allocations(&notices, report);
    notice_short_processes(&notices, report);
    notice_frames(&notices, missing, report->source.kept_count != 0);
    notice_clocks(&notices, report);
    notice_untraced(&notices, report->options.run);
    notice_absent(&notices, report->options.chunk ? NULL : report->options.run);
    if (missing->size_limit_processes)
        pinsight_notice(&notices, PINSIGHT_NOTICE_WRONG,
                        "%" PRIu64 " %s reached the size limit%s%s%s and went on counting without "
                        "events. A larger --max-size records more.",
                        missing->size_limit_processes,
                        missing->size_limit_processes == 1 ? "process" : "processes",
                        missing->size_limit ? " of " : "",
                        missing->size_limit ? pinsight_units_size(missing->size_limit).text : "",
                        report->options.run && report->options.run->space_limits
                            ? ", a tenth of the free space,"
                            : "");
    pinsight_notice_selection(&notices, report);
    pinsight_notice_windows(&notices, report);
    if (missing->pauses)
        pinsight_notice(
            &notices, PINSIGHT_NOTICE_ALWAYS,
            "%" PRIu64
            " introspection%s held the program, for %s in all: that is in no call's time.",
            missing->pauses, missing->pauses == 1 ? "" : "s",
            pinsight_units_time(missing->paused_ns).text);
    PINSIGHT_NOTICE_COUNT(&notices, PINSIGHT_NOTICE_ALWAYS, missing->without_operators,
                          "Operators of types written in C (a @ b) are not recorded in %s %s: that "
                          "needs the library which `pinsight run` preloads.",
                          missing->without_operators == 1 ? "process" : "processes");
    notice_nothing_recorded(&notices, report);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->notice)
            view_domains[i]->notice(&notices, report);
    if (report->only_counted)
        pinsight_notice(
            &notices, PINSIGHT_NOTICE_ALWAYS, "Calls were counted (MONITORING) and not traced. %s.",
            report->by_path ? "Of single calls the longest is known, and of waits those that are "
                              "sleeps and locks"
                            : "Callers, single times and the call tree are not known");
    if (report->mixed)
        pinsight_notice(
            &notices, PINSIGHT_NOTICE_ALWAYS,
            "Calls that were counted (MONITORING) have no events: the call tree lacks them, and "
            "their time is part of the self times there.");
    if (missing->silent_processes)
        pinsight_notice(&notices, PINSIGHT_NOTICE_ALWAYS, "%" PRIu64 " %s recorded no event.",
                        missing->silent_processes,
                        missing->silent_processes == 1 ? "process" : "processes");
    return notices.losses;
}
