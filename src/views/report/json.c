/* Writes the report as JSON; docs/report-json.md describes it. FORMAT_VERSION rises with any change
 * that removes a member or gives it another meaning. */
#include "base/json.h"
#include "base/run_info.h"
#include "reader/python/gil.h"
#include "views/domain.h"
#include "views/insights/insights.h"
#include "views/report/bar.h"
#include "views/report/control.h"
#include "views/report/cost.h"
#include "views/report/host_clocks.h"
#include "views/report/report.h"
#include "views/report/section.h"
#include "views/report/sections.h"
#include "views/report/tables.h"
#include "views/report/tree.h"
#include "views/report/waited.h"

#include "pinsight_version.h"

#define FORMAT_VERSION 1

VALUE(other_events, void,
      pinsight_value_number(report->source.events - report->source.known_events))

VALUE(duration, struct pinsight_model,
      pinsight_value_number(pinsight_time_rest(row->last_ns, row->first_ns)))

#define M(member) MEMBER(struct pinsight_model, member)
static const struct pinsight_column model_columns[] = {
    COLUMN("begin_ns", NULL, NS, M(first_ns)),
    COLUMN("end_ns", NULL, NS, M(last_ns)),
    GETTER("duration_ns", NULL, NS, duration),
};
static const struct pinsight_table models = {PINSIGHT_COLUMNS(model_columns)};

VALUE(overhead, void,
      pinsight_cost_is_known(report) ? pinsight_value_number(pinsight_cost_ns(report))
                                     : pinsight_value_none())

#define R(member) MEMBER(struct pinsight_report, member)
#define K(member) MEMBER(struct pinsight_kept, member)
VALUE(kept_span, struct pinsight_kept, pinsight_value_number(pinsight_kept_ns(row)))

VALUE(run_span, struct pinsight_kept,
      pinsight_value_number(row->last_ns > row->begin_ns ? row->last_ns - row->begin_ns : 0))

static const struct pinsight_column kept_columns[] = {
    FIELD(SIGNED, K, pid),
    FIELD(NS, K, from_ns),
    GETTER("kept_ns", NULL, NS, kept_span),
    GETTER("of_ns", NULL, NS, run_span),
    FIELD(BYTES, K, dropped_bytes),
};

static const struct pinsight_table flight_recorders = {
    PINSIGHT_LIST("flight_recorder", kept_columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, source.kept, source.kept_count),
};

static void write_kept(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    const struct pinsight_report *report = row;

    if (report->source.kept_count)
        pinsight_report_list(row, json, &flight_recorders, 0);
}

/* A chunk is not the whole run. */
static struct pinsight_value of_run(const struct pinsight_report *report, size_t offset) {
    const struct pinsight_run_info *run = report->options.chunk ? NULL : report->options.run;
    uint64_t ns = run ? *(const uint64_t *)((const char *)run + offset) : 0;

    return ns ? pinsight_value_number(ns) : pinsight_value_none();
}

VALUE(wall, void, of_run(report, offsetof(struct pinsight_run_info, wall_ns)))

VALUE(processor, void, of_run(report, offsetof(struct pinsight_run_info, processor_ns)))

static const struct pinsight_column trace_columns[] = {
    COLUMN("path", NULL, STRING, R(options.trace)),
    COLUMN("bytes", NULL, BYTES, R(source.bytes)),
    COLUMN("events", NULL, COUNT, R(source.known_events)),
    GETTER("other_events", NULL, COUNT, other_events),
    COLUMN("later_chunk", NULL, BOOL, R(source.later_chunk)),
    INNER(NULL, &models, R(model), .pointer = true),
    GETTER("wall_ns", NULL, NS, wall),
    GETTER("processor_ns", NULL, NS, processor),
    COLUMN("python_self_ns", NULL, NS, R(python_ns)),
    COLUMN("c_self_ns", NULL, NS, R(c_ns)),
    GETTER("overhead_ns", NULL, NS, overhead),
    WRITER("flight_recorder", write_kept),
};
static const struct pinsight_table traces = {PINSIGHT_COLUMNS(trace_columns)};

static struct pinsight_value filter(int64_t number) {
    return number < 0 ? pinsight_value_none() : pinsight_value_signed(number);
}

VALUE(thread_filter, void, filter(report->options.thread))

VALUE(process_filter, void, filter(report->options.process))

VALUE(rank_filter, void, pinsight_value_text(report->options.ranks))

static const struct pinsight_column filter_columns[] = {
    GETTER("thread", NULL, SIGNED, thread_filter),
    GETTER("process", NULL, SIGNED, process_filter),
    GETTER("rank", NULL, TEXT, rank_filter),
};
static const struct pinsight_table filters = {PINSIGHT_COLUMNS(filter_columns)};

VALUE(at_least, struct pinsight_short_process, pinsight_value_number(!row->exact))

HAS(is_missing, struct pinsight_short_process, row->missing != 0)

#define S(member) MEMBER(struct pinsight_short_process, member)
static const struct pinsight_column short_columns[] = {
    FIELD(SIGNED, S, pid),
    COLUMN("events", NULL, COUNT, S(missing)),
    GETTER("at_least", NULL, BOOL, at_least),
};

static const struct pinsight_table missing_of = {
    PINSIGHT_LIST("missing_of", short_columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, source.short_processes, source.short_count),
    .has = is_missing,
};

static void write_missing(struct pinsight_json *json, const struct pinsight_printing *printing,
                          const void *row) {
    pinsight_report_list(row, json, &missing_of, 0);
}

#define G(member) MEMBER(struct pinsight_gap, member)

VALUE(gap_from, struct pinsight_gap,
      row->from_ns ? pinsight_value_number(row->from_ns) : pinsight_value_none())
VALUE(gap_until, struct pinsight_gap,
      row->until_ns ? pinsight_value_number(row->until_ns) : pinsight_value_none())

static const struct pinsight_column gap_columns[] = {
    COLUMN("stream", NULL, STRING, G(stream)),
    COLUMN("packets", NULL, COUNT, G(packets)),
    GETTER("from_ns", NULL, NS, gap_from),
    GETTER("until_ns", NULL, NS, gap_until),
};

static const struct pinsight_table gaps = {
    PINSIGHT_LIST("gaps", gap_columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, source.gaps, source.gap_count),
};

static void write_gaps(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    pinsight_report_list(row, json, &gaps, 0);
}

VALUE(incomplete, struct pinsight_report,
      pinsight_value_number(row->not_recorded.incomplete || row->not_recorded.unended))

VALUE(windows_ended, struct pinsight_report,
      pinsight_value_number(row->model->history.window_count))

VALUE(interpreters, struct pinsight_report,
      pinsight_value_number(pinsight_model_python(row->model)
                                ? pinsight_model_python(row->model)->interpreters.unseen
                                : 0))

VALUE(unseen, void, pinsight_value_text(pinsight_report_unseen(row)))

static void write_warnings(struct pinsight_json *json, const struct pinsight_printing *printing,
                           const void *row) {
    const struct pinsight_report *report = row;

    pinsight_json_open(json, "warnings", '[');
    for (size_t i = 0; i < report->source.warning_count; i++)
        pinsight_json_string(json, NULL, report->source.warnings[i]);
    pinsight_json_close(json, ']');
}

#define N(member) MEMBER(struct pinsight_report, not_recorded.member)
static const struct pinsight_column not_recorded_columns[] = {
    FIELDS(COUNT, N, discarded_events, discarded_packets),
    COLUMN("discarded_unknown", NULL, BOOL, N(unclear_discards)),
    FIELD(COUNT, N, missing_events),
    WRITER("missing_of", write_missing),
    FIELDS(COUNT, N, unsaid_processes, lost_frames, under_way),
    FIELDS(COUNT, N, dropped_ends, open_at_end, began_before, outside_windows),
    FIELD(NS, N, paused_ns),
    GETTER("windows_ended", NULL, COUNT, windows_ended),
    FIELDS(COUNT, N, silent_processes, size_limit_processes, budget_processes),
    FIELDS(COUNT, N, damaged_streams, unnamed_functions, folded_paths, cut_off),
    COLUMN("missing_packets", NULL, COUNT, R(source.lacking_packets)),
    WRITER("gaps", write_gaps),
    GETTER("interpreters", NULL, COUNT, interpreters),
    FIELD(COUNT, N, other_clocks),
    FIELD(STRING, N, other_clock),
    FIELD(BOOL, N, builtins_only),
    COLUMN("interrupted", NULL, BOOL, N(stopped)),
    FIELD(BOOL, N, daemon_died),
    GETTER("incomplete", NULL, BOOL, incomplete),
    GETTER("unseen", NULL, STRING, unseen),
    WRITER("warnings", write_warnings),
};
static const struct pinsight_table not_recorded = {PINSIGHT_COLUMNS(not_recorded_columns)};

/* Returns whether a domain registered the section that the options ask for. */
static bool is_of(const struct pinsight_section *section, const struct view_domain *domain) {
    const struct pinsight_section *const *of = domain->sections;

    while (of && *of && *of != section)
        of++;
    return of && *of;
}

int pinsight_report_json(const struct pinsight_report *report, FILE *out) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct pinsight_json json = {.out = out, .inline_depth = 3};
    size_t limit = report->options.limit > 0 ? (size_t)report->options.limit : 0;
    const struct pinsight_section *section = report->options.section;

    pinsight_json_open(&json, NULL, '{');
    pinsight_json_unsigned(&json, "format_version", FORMAT_VERSION);
    pinsight_json_string(&json, "pinsight_version", PINSIGHT_VERSION);
    pinsight_row_json(&traces, &printing, report, "trace", &json);
    pinsight_row_json(&filters, &printing, report, "filter", &json);
    pinsight_bar_json(report, &json);
    pinsight_insights_json(report, &json);
    pinsight_functions_json(report, &json, limit);
    if (report->options.tree)
        pinsight_tree_json(report, &json, limit);
    if (section && !section->last)
        pinsight_section_json(section, report, &json, limit);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->json &&
            (is_of(section, view_domains[i]) || view_domains[i]->seen(report)))
            view_domains[i]->json(report, &json, limit);
    if (section && section->last)
        pinsight_section_json(section, report, &json, limit);
    pinsight_waited_json(report, &json);
    pinsight_host_clocks_json(report, &json);
    pinsight_threads_json(report, &json, limit);
    pinsight_control_json(report, &json, limit);
    pinsight_row_json(&not_recorded, &printing, report, "not_recorded", &json);
    pinsight_json_close(&json, '}');
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
