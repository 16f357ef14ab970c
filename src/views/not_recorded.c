/* Honesty: the list of what was not recorded. */
#include "views/not_recorded.h"

#include "reader/mem.h"
#include "session/run_info.h"
#include "views/control.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether a runtime is a CPython that reports built-ins and method descriptors only. */
static bool is_before_monitoring(const char *runtime) {
    int major = 0, minor = 0;

    return sscanf(runtime, "CPython %d.%d", &major, &minor) == 2 && major == 3 && minor < 12;
}

static void add_process(struct pinsight_report *report, const struct pinsight_process *process) {
    struct pinsight_not_recorded *missing = &report->not_recorded;
    uint64_t lost = 0;

    if (!process->selected)
        return;
    if (pinsight_process_is_there(process) && !process->events)
        missing->silent_processes++;
    for (size_t i = 0; i < process->domain_count; i++) {
        const struct pinsight_domain *domain = &process->domains[i];

        /* Totals are since the start: in a later chunk they are not of that chunk. */
        if (!report->source.later_chunk) {
            lost += domain->lost_frames;
            missing->dropped_ends += domain->dropped_ends;
            missing->outside_windows += domain->outside;
        }
        if (is_before_monitoring(pinsight_strings_text(&report->model->strings, domain->runtime)))
            missing->builtins_only = true;
        if (!domain->size_limit_reached)
            continue;
        missing->size_limit_processes++;
        if (domain->size_limit > missing->size_limit)
            missing->size_limit = domain->size_limit;
    }
    /* A domain's total has what it lost while it only counted; a killed program has no total. */
    missing->lost_frames += lost > process->lost_frames ? lost : process->lost_frames;
}

/* What `pinsight run` knows: the daemon's own counts are never below what the trace's packets say.
 */
static void add_run(struct pinsight_not_recorded *missing, const struct pinsight_run_info *run) {
    if (run->counted && run->discarded_events > missing->discarded_events)
        missing->discarded_events = run->discarded_events;
    if (run->counted && run->lost_packets > missing->discarded_packets)
        missing->discarded_packets = run->lost_packets;
    missing->daemon_died = run->daemon_died || run->consumer_died;
    missing->incomplete = run->incomplete;
    missing->unended = !run->ended;
}

/* The time in which introspections held processes. */
static void add_pauses(struct pinsight_not_recorded *missing,
                       const struct pinsight_history *history) {
    for (size_t i = 0; i < history->change_count; i++) {
        const struct pinsight_change *change = &history->changes[i];
        const struct pinsight_introspection *introspection = &change->introspection;

        if (change->kind != PINSIGHT_INTROSPECTED || !introspection->begun ||
            !introspection->ended || introspection->how == PINSIGHT_INTROSPECT_NOT_WAITED ||
            !introspection->threads_stopped)
            continue;
        missing->pauses++;
        missing->paused_ns += introspection->end_ns - change->ns;
    }
}

void pinsight_not_recorded_make(struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct pinsight_not_recorded *missing = &report->not_recorded;

    missing->discarded_events = report->source.discarded_events;
    missing->discarded_packets = report->source.discarded_packets;
    missing->unclear_discards = report->source.unclear_discards;
    missing->damaged_streams = report->source.damaged_streams;
    missing->stopped = report->source.stopped;
    if (report->options.run && !report->options.chunk)
        add_run(missing, report->options.run);
    missing->open_at_end = model->open_at_end;
    missing->folded_calls = model->folded_nodes;
    add_pauses(missing, &model->history);
    for (size_t i = 0; i < model->process_count; i++)
        add_process(report, model->processes[i]);
    missing->lost_frames += model->unmatched_begins;
    missing->dropped_ends += model->unmatched_ends;
    if (report->source.later_chunk) {
        missing->began_before = model->ends_of_nothing;
        missing->dropped_ends -= model->ends_of_nothing;
    }
    if (model->openmp) {
        missing->lost_frames += model->openmp->unmatched_begins;
        if (report->source.later_chunk)
            missing->began_before += model->openmp->unmatched_ends;
        else
            missing->dropped_ends += model->openmp->unmatched_ends;
    }
    if (model->mpi) {
        missing->lost_frames += model->mpi->unmatched_begins;
        if (report->source.later_chunk)
            missing->began_before += model->mpi->unmatched_ends;
        else
            missing->dropped_ends += model->mpi->unmatched_ends;
    }
}

const char *pinsight_report_unseen(const struct pinsight_report *report) {
    if (report->not_recorded.builtins_only)
        return "Not visible to Python 3.8 to 3.11's profiling, so counted with the function around "
               "them: operators (a @ b), properties, C code that calls C, and all callables but "
               "built-ins and method descriptors (NumPy's ufuncs and dispatchers, types, partial).";
    return "Not visible to the interpreter's monitoring, so counted with the function around them: "
           "operators (a @ b), properties, and C code that calls C.";
}

/* A sentence is made, said and freed in one place. */
struct speaker {
    void (*say)(void *data, int level, const char *sentence);
    void *data;
    unsigned serious;
};

static void speak(struct speaker *speaker, int level, char *sentence) {
    speaker->say(speaker->data, level, sentence);
    speaker->serious += level > 0;
    free(sentence);
}

static void say_discards(struct speaker *speaker, const struct pinsight_not_recorded *missing,
                         bool lossless) {
    char number[32];

    if (missing->discarded_events && lossless)
        speak(speaker, 1,
              pinsight_format("%s events were discarded: their buffer was full for longer than "
                              "--lossless waits. Record with a larger --buffer-size, or to a "
                              "faster disk.",
                              pinsight_units_count(number, missing->discarded_events)));
    else if (missing->discarded_events)
        speak(speaker, 1,
              pinsight_format("%s events were discarded because the buffers were full: calls are "
                              "missing and times may be wrong. Record with --lossless, or with a "
                              "larger --buffer-size, or less (--events function).",
                              pinsight_units_count(number, missing->discarded_events)));
    if (missing->discarded_packets)
        speak(speaker, 1,
              pinsight_format("%s packets of events were overwritten or lost: record with "
                              "--lossless.",
                              pinsight_units_count(number, missing->discarded_packets)));
    if (missing->unclear_discards)
        speak(speaker, 1,
              pinsight_strdup("Events were discarded, and the trace does not say how many: record "
                              "with --lossless."));
    if (missing->damaged_streams)
        speak(speaker, 1,
              pinsight_format("%" PRIu64 " of the trace's streams %s damaged; what stands before "
                              "the damage is in the numbers.",
                              missing->damaged_streams,
                              missing->damaged_streams == 1 ? "is" : "are"));
    if (missing->daemon_died)
        speak(speaker, 1,
              pinsight_strdup("LTTng's daemon ended before the program did: the last second of "
                              "events before that may be missing, and all after it."));
    else if (missing->incomplete)
        speak(speaker, 1,
              pinsight_strdup("Not everything reached the disk: the recording was cut "
                              "short."));
    else if (missing->unended)
        speak(speaker, 1,
              pinsight_strdup("`pinsight run` was killed, or is still running: the last second of "
                              "events may be missing."));
    if (missing->stopped)
        speak(speaker, 1,
              pinsight_strdup("The reading was interrupted: this is the trace's "
                              "beginning."));
}

static void say_frames(struct speaker *speaker, const struct pinsight_not_recorded *missing) {
    char number[32];

    if (missing->lost_frames)
        speak(speaker, 1,
              pinsight_format("%s calls were closed as lost: their end was not seen, and their "
                              "time is until then.",
                              pinsight_units_count(number, missing->lost_frames)));
    if (missing->dropped_ends)
        speak(speaker, 1,
              pinsight_format("%s ends of calls were left out: their begin was not seen.",
                              pinsight_units_count(number, missing->dropped_ends)));
    if (missing->began_before)
        speak(speaker, 0,
              pinsight_format("%s %s before this chunk and ended in it: %s left out.",
                              pinsight_units_count(number, missing->began_before),
                              missing->began_before == 1 ? "call began" : "calls began",
                              missing->began_before == 1 ? "it is" : "they are"));
    if (missing->open_at_end)
        speak(speaker, 0,
              pinsight_format("%s %s still running when the trace ends, and counted until there.",
                              pinsight_units_count(number, missing->open_at_end),
                              missing->open_at_end == 1 ? "call was" : "calls were"));
    if (missing->unnamed_functions)
        speak(speaker, 1,
              pinsight_format("%s functions have no name in the trace.",
                              pinsight_units_count(number, missing->unnamed_functions)));
    if (missing->folded_calls)
        speak(speaker, 0,
              pinsight_format("%s calls are counted with their caller: the tree has no room for "
                              "more branches. Narrow it with --thread.",
                              pinsight_units_count(number, missing->folded_calls)));
}

/* Where the rules of groups stand: "hpc.ini:12, hpc.ini:20 and 3 more"; "" where that is not said.
 */
static char *rules_of(const struct pinsight_window_groups *groups,
                      bool (*wanted)(const struct pinsight_window_group *group)) {
    char *text = pinsight_strdup("");
    size_t named = 0, more = 0;

    for (size_t i = 0; i < groups->count; i++) {
        const char *rule = groups->groups[i].rule;
        const char *slash = strrchr(rule, '/');
        char *longer;

        rule = slash ? slash + 1 : rule;
        if (!wanted(&groups->groups[i]) || !rule[0] || strstr(text, rule))
            continue;
        if (named == 3) {
            more++;
            continue;
        }
        longer = pinsight_format("%s%s%s", text, named++ ? ", " : "", rule);
        free(text);
        text = longer;
    }
    if (more) {
        char *longer = pinsight_format("%s and %zu more", text, more);

        free(text);
        text = longer;
    }
    return text;
}

static bool goes_unrecorded(const struct pinsight_window_group *group) {
    return !pinsight_window_reopens(group) && !pinsight_window_counts(group);
}

static bool goes_on_counted(const struct pinsight_window_group *group) {
    return !pinsight_window_reopens(group) && pinsight_window_counts(group);
}

/* "300 functions and 2 C callables" */
static char *all_regions_text(const uint64_t *regions) {
    static const uint8_t kinds[] = {PINSIGHT_FUNCTION, PINSIGHT_C_CALL, PINSIGHT_REGION};
    char *text = pinsight_strdup("");
    unsigned left = 0;

    for (size_t i = 0; i < sizeof(kinds); i++)
        left += regions[kinds[i]] > 0;
    for (size_t i = 0; i < sizeof(kinds); i++) {
        char *one, *longer;

        if (!regions[kinds[i]])
            continue;
        one = pinsight_regions_text(kinds[i], regions[kinds[i]]);
        longer = pinsight_format("%s%s%s", text, one,
                                 --left == 0 ? ""
                                 : left == 1 ? " and "
                                             : ", ");
        free(one);
        free(text);
        text = longer;
    }
    return text;
}

/* "300 functions and 2 C callables are not recorded past their window (hpc.ini:12)", and what that
 * means. */
static void say_windows_that(struct speaker *speaker, const struct pinsight_window_groups *groups,
                             bool (*wanted)(const struct pinsight_window_group *group),
                             const char *what, const char *so) {
    uint64_t regions[3] = {0, 0, 0}, all;
    char *text, *rules;

    for (size_t i = 0; i < groups->count; i++)
        if (wanted(&groups->groups[i]) && groups->groups[i].kind <= PINSIGHT_REGION)
            regions[groups->groups[i].kind] += groups->groups[i].regions;
    all = regions[0] + regions[1] + regions[2];
    if (!all)
        return;
    text = all_regions_text(regions);
    rules = rules_of(groups, wanted);
    speak(speaker, 0,
          pinsight_format("%s %s %s past %s window%s%s%s%s.", text, all == 1 ? "is" : "are", what,
                          all == 1 ? "its" : "their", rules[0] ? " (" : "", rules,
                          rules[0] ? ")" : "", so));
    free(text);
    free(rules);
}

static void say_windows(struct speaker *speaker, const struct pinsight_report *report) {
    struct pinsight_window_groups groups = pinsight_windows_group(report);
    uint64_t outside = report->not_recorded.outside_windows;
    char number[32];

    say_windows_that(speaker, &groups, goes_unrecorded, "not recorded",
                     ": their time counts with the function around them");
    say_windows_that(speaker, &groups, goes_on_counted, "counted and not traced", "");
    if (outside)
        speak(speaker, 0,
              pinsight_format("%s %s seen outside %s and not recorded.",
                              pinsight_units_count(number, outside),
                              outside == 1 ? "call was" : "calls were",
                              outside == 1 ? "its window" : "their windows"));
    pinsight_window_groups_free(&groups);
}

/* What the configuration left out of a domain: the first process that says so. */
static void say_selection_of(struct speaker *speaker, const struct pinsight_report *report,
                             uint32_t name) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_domain *said = NULL;
    bool differs = false;
    const char *others = !strcmp(pinsight_strings_text(&model->strings, name), "Python")
                             ? " The time of other calls counts with the function around them."
                             : "";

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t j = 0; j < model->processes[i]->domain_count; j++) {
            const struct pinsight_domain *domain = &model->processes[i]->domains[j];

            if (domain->name != name || !domain->has_info || !model->processes[i]->selected)
                continue;
            differs |= domain->selection_changed || (said && said->selection != domain->selection);
            if (!said || domain->selection)
                said = domain;
        }
    if (!said || (!said->selection && !differs))
        return;
    if (differs)
        speak(speaker, 0,
              pinsight_strdup("Which modules and threads were recorded changed while it ran, or "
                              "differs between processes. The time of calls that are left out "
                              "counts with the function around them."));
    else
        speak(speaker, 0,
              pinsight_format("Only what the configuration selects%s%s: %s.%s",
                              others[0] ? "" : " of ",
                              others[0] ? "" : pinsight_strings_text(&model->strings, name),
                              pinsight_strings_text(&model->strings, said->selection), others));
}

static void say_selection(struct speaker *speaker, const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct pinsight_map told = {0};

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t j = 0; j < model->processes[i]->domain_count; j++) {
            uint32_t name = model->processes[i]->domains[j].name;

            if (pinsight_map_get(&told, name, 0, 0) != PINSIGHT_MAP_NONE)
                continue;
            pinsight_map_set(&told, name, 0, 0, 0);
            say_selection_of(speaker, report, name);
        }
    pinsight_map_clear(&told);
}

/* Why there is nothing to see. */
static void say_nothing_recorded(struct speaker *speaker, const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    bool announced = false;

    if (report->thread_count || pinsight_omp_seen(report) || pinsight_mpi_seen(report) ||
        report->options.thread >= 0 || report->options.process >= 0)
        return;
    for (size_t i = 0; i < model->process_count; i++)
        announced |= model->processes[i]->has_info;
    if (announced)
        speak(speaker, 0,
              pinsight_strdup("No call was recorded: Python was OFF or in STANDBY, its events were "
                              "switched off, or a configuration left everything out "
                              "(PINSIGHT_TRACE_PYTHON, --domains, --events, -c)."));
    else
        speak(speaker, 0,
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
static void say_openmp(struct speaker *speaker, const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;
    const char *blas_name;
    bool asked, blas;

    if (!run || !run->openmp[0])
        return;
    asked = !strcmp(run->openmp, "asked");
    blas = run->thread_blas[0] && (asked || has_code_of(report, "/numpy/"));
    blas_name = strrchr(run->thread_blas, '/');
    if (blas)
        speak(speaker, 0,
              pinsight_format("The BLAS of NumPy (%s) has threads of its own (pthreads), which no "
                              "OpenMP tool can observe. What would show them: Debian's "
                              "python3-numpy with libopenblas0-openmp, conda's NumPy with "
                              "\"libopenblas=*=*openmp*\", or a NumPy of the site's modules.",
                              blas_name ? blas_name + 1 : run->thread_blas));
    if (!pinsight_omp_seen(report) && run->openmp_unseen[0])
        speak(speaker, 0, pinsight_strdup(run->openmp_unseen));
}

unsigned pinsight_not_recorded_say(const struct pinsight_report *report,
                                   void (*say)(void *data, int level, const char *sentence),
                                   void *data) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    struct speaker speaker = {say, data, 0};
    char size[32];

    say_discards(&speaker, missing, report->options.run && report->options.run->lossless);
    say_frames(&speaker, missing);
    if (missing->size_limit_processes)
        speak(&speaker, 1,
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
    say_selection(&speaker, report);
    say_windows(&speaker, report);
    if (missing->pauses)
        speak(&speaker, 0,
              pinsight_format("%" PRIu64
                              " introspection%s held the program, for %s in all: that is "
                              "in no call's time.",
                              missing->pauses, missing->pauses == 1 ? "" : "s",
                              pinsight_units_time(size, missing->paused_ns)));
    say_nothing_recorded(&speaker, report);
    say_openmp(&speaker, report);
    if (report->only_counted)
        speak(&speaker, 0,
              pinsight_strdup("Calls were counted (MONITORING) and not traced: callers, single "
                              "times and the call tree are not known."));
    if (report->mixed)
        speak(&speaker, 0,
              pinsight_strdup("Calls that were counted (MONITORING) have no events: the call tree "
                              "lacks them, and the self time of a traced function that made them "
                              "has their time too."));
    if (missing->silent_processes)
        speak(&speaker, 0,
              pinsight_format("%" PRIu64 " %s recorded no event.", missing->silent_processes,
                              missing->silent_processes == 1 ? "process" : "processes"));
    return speaker.serious;
}
