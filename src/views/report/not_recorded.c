/* Collects the unrecorded things. not_recorded_notices.c writes the sentences. */
#include "views/report/not_recorded.h"

#include "base/run_info.h"
#include "reader/core/counted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a runtime is a CPython that reports only built-ins and method descriptors. */
static bool is_before_monitoring(const char *runtime) {
    int major = 0, minor = 0;

    return sscanf(runtime, "CPython %d.%d", &major, &minor) == 2 && major == 3 && minor < 12;
}

/* A mechanism's name ends with the state of operators and properties
 * (tracer/python/operator_types.h). */
static void add_operators(struct pinsight_not_recorded *missing, const char *mechanism) {
    missing->has_operators |= strstr(mechanism, ", operators") != NULL;
    missing->has_properties |= strstr(mechanism, ", properties") != NULL;
    missing->without_operators += strstr(mechanism, ", without operators") != NULL;
}

/* Returns whether the number of executions outside windows is unknown: windows ended in the
 * process, and it has recorded no totals. */
static bool lacks_totals(const struct pinsight_history *history,
                         const struct pinsight_process *process) {
    bool lacks = false;

    for (size_t i = 0; i < process->domain_count && !lacks; i++)
        lacks = process->domains[i].has_info && !process->domains[i].has_totals;
    for (size_t i = 0; i < history->window_count && lacks; i++)
        if (history->windows[i].process == process)
            return true;
    return false;
}

static void add_process(struct pinsight_report *report, const struct pinsight_process *process) {
    struct pinsight_not_recorded *missing = &report->not_recorded;
    uint64_t lost = 0, under_way = 0;

    if (!process->selected)
        return;
    if (pinsight_process_is_there(process) && !process->events)
        missing->silent_processes++;
    missing->untotalled += !pinsight_source_is_partial(&report->source) &&
                           lacks_totals(&report->model->history, process);
    const char *clock = pinsight_strings_text(&report->model->strings, process->other_clock);
    if (*clock && !missing->other_clocks++)
        missing->other_clock = clock;
    for (size_t i = 0; i < process->domain_count; i++) {
        const struct pinsight_process_domain *domain = &process->domains[i];

        /* Totals count from the start, and are not those of a later chunk. */
        if (!pinsight_source_is_partial(&report->source)) {
            lost += domain->lost_frames;
            under_way += domain->under_way;
            missing->dropped_ends += domain->dropped_ends;
            missing->outside_windows += domain->outside;
        }
        if (is_before_monitoring(pinsight_strings_text(&report->model->strings, domain->runtime)))
            missing->builtins_only = true;
        add_operators(missing, pinsight_strings_text(&report->model->strings, domain->mechanism));
        missing->budget_processes += domain->budget_ended;
        if (!domain->size_limit_reached)
            continue;
        missing->size_limit_processes++;
        if (domain->size_limit > missing->size_limit)
            missing->size_limit = domain->size_limit;
    }
    /* A domain's total includes losses while it only counted. A killed program has no total. */
    if (lost < process->lost_frames)
        lost = process->lost_frames;
    missing->lost_frames += lost - under_way;
    missing->under_way += under_way;
}

/* Adds the knowledge of `pinsight run`. The daemon's own counts are never below those in the
 * trace's packets. */
static void add_run(struct pinsight_not_recorded *missing, const struct pinsight_run_info *run) {
    if (run->counted && run->discarded_events > missing->discarded_events)
        missing->discarded_events = run->discarded_events;
    if (run->counted && run->lost_packets > missing->discarded_packets)
        missing->discarded_packets = run->lost_packets;
    missing->daemon_died = run->daemon_died || run->consumer_died;
    missing->incomplete = run->incomplete;
    missing->unended = !run->ended;
}

/* Returns whether a process is selected for the report. */
static bool is_selected(const struct pinsight_report *report,
                        const struct pinsight_short_process *process) {
    const struct pinsight_model *model = report->model;

    if (!report->options.ranks)
        return report->options.process < 0 || report->options.process == process->pid;
    for (size_t i = 0; i < model->process_count; i++)
        if (model->processes[i]->pid == process->pid &&
            model->processes[i]->instance == process->instance && model->processes[i]->selected)
            return true;
    return false;
}

/*
 * Adds events that processes recorded but the trace lacks. Before the end of a run, some cannot be
 * there yet, and a chunk has only a part. Events that `pinsight run` knows as discarded, beyond
 * those in the trace, are reported already, and their processes are unknown.
 */
static void add_short_processes(struct pinsight_report *report) {
    struct pinsight_not_recorded *missing = &report->not_recorded;
    struct pinsight_source_result *source = &report->source;
    uint64_t told = missing->discarded_events - source->discarded_events;

    if (!report->options.run || report->options.chunk || missing->unended)
        source->short_count = 0;
    for (size_t i = 0; i < source->short_count; i++) {
        struct pinsight_short_process *process = &source->short_processes[i];
        uint64_t less = process->missing < told ? process->missing : told;

        told -= less;
        process->missing -= less;
        if (!is_selected(report, process))
            process->missing = 0;
        else if (!process->exact)
            missing->unsaid_processes++;
        missing->missing_events += process->missing;
    }
}

/* Adds the time in which introspections stopped processes. */
static void add_pauses(struct pinsight_not_recorded *missing,
                       const struct pinsight_history *history) {
    for (size_t i = 0; i < history->change_count; i++) {
        const struct pinsight_change *change = &history->changes[i];
        const struct pinsight_past_introspection *introspection = &change->introspection;

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
    if (missing->discarded_events < report->source.lost.unwritten + report->source.lost.others)
        missing->discarded_events = report->source.lost.unwritten + report->source.lost.others;
    if (report->options.run && !report->options.chunk)
        add_run(missing, report->options.run);
    add_short_processes(report);
    missing->open_at_end = model->open_at_end;
    missing->folded_calls = model->folded_nodes;
    missing->cut_off = pinsight_counted_cut_off(model);
    missing->folded_paths = pinsight_counted_folded(model);
    add_pauses(missing, &model->history);
    for (size_t i = 0; i < model->process_count; i++)
        add_process(report, model->processes[i]);
    missing->lost_frames += model->unmatched_begins;
    missing->dropped_ends += model->unmatched_ends;
    if (pinsight_source_is_partial(&report->source)) {
        missing->began_before = model->ends_of_nothing;
        missing->dropped_ends -= model->ends_of_nothing;
    }
    for (size_t i = 0; i < READER_DOMAINS; i++) {
        const char *kept = model->state[i];
        const uint64_t *unmatched;

        if (!kept || !reader_domains[i]->unmatched)
            continue;
        unmatched = (const uint64_t *)(kept + reader_domains[i]->unmatched);
        missing->lost_frames += unmatched[0];
        *(pinsight_source_is_partial(&report->source) ? &missing->began_before
                                                      : &missing->dropped_ends) += unmatched[1];
    }
}

#define UNSEEN_PROFILE(operators)                                                                  \
    "Not visible to Python 3.8 to 3.11's profiling, so counted with the function around "          \
    "them: " operators ", C code that calls C, and all callables but built-ins and method "        \
    "descriptors (NumPy's ufuncs and dispatchers, types, partial)."
#define UNSEEN(operators)                                                                          \
    "Not visible to the interpreter's monitoring, so counted with the function around "            \
    "them: " operators ", and C code that calls C."
#define OPERATORS "operators (a @ b)"
#define NOT_OBSERVED " of types that are not observed"
/* The texts for all combinations of recorded operators and properties. */
#define UNSEEN_OF_EACH(unseen)                                                                     \
    {                                                                                              \
        {unseen(OPERATORS ", properties"), unseen(OPERATORS ", properties" NOT_OBSERVED)}, {       \
            unseen(OPERATORS NOT_OBSERVED ", properties"),                                         \
                unseen(OPERATORS " and properties" NOT_OBSERVED)                                   \
        }                                                                                          \
    }

const char *pinsight_report_unseen(const struct pinsight_report *report) {
    static const char *const texts[2][2][2] = {UNSEEN_OF_EACH(UNSEEN),
                                               UNSEEN_OF_EACH(UNSEEN_PROFILE)};
    const struct pinsight_not_recorded *missing = &report->not_recorded;

    return texts[missing->builtins_only][missing->has_operators][missing->has_properties];
}
