/* The tables of functions, C calls, modules and files. */
#include "views/report/sections.h"

#include "base/memory.h"
#include "base/text.h"
#include "views/domain.h"
#include "views/report/attribution.h"
#include "views/report/lexgion.h"
#include "views/report/tables.h"

#include <string.h>

/* Narrower screens leave out a column: first the shortest time, then the longest. */
#define WIDTH_FOR_MIN 110
#define WIDTH_FOR_MAX 90
#define WIDTH_FOR_FOLDERS 130

#define IN_FILES (PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV)
#define ON_SCREEN PINSIGHT_FORM_SCREEN

SHOWN(is_mixed, report->mixed)

SHOWN(is_not_mixed, !is_mixed(report))

SHOWN(has_range, !report->only_counted)

SHOWN(has_clocks, report->has_clocks)

static uint64_t whole_of(const struct pinsight_report *report) {
    return pinsight_attribution_whole_with_idle_ns(report);
}

VALUE(times_share, struct pinsight_times, pinsight_value_share(row->self_ns, whole_of(report)))

VALUE(times_waiting, struct pinsight_times,
      pinsight_value_number(pinsight_time_rest(row->away_ns, row->ready_ns)))

/* There is no value if all calls began before the recording. */
VALUE(times_calls, struct pinsight_times,
      (struct pinsight_value){
          .none = !row->calls && row->total_ns, .number = row->calls, .at_least = row->in_part})

VALUE(times_traced, struct pinsight_times, pinsight_value_number(row->calls - row->counted_calls))

#define T(member) MEMBER(struct pinsight_times, member)
static const struct pinsight_column times_columns[] = {
    COLUMN("calls", NULL, COUNT, T(calls), .only = IN_FILES),
    GETTER("calls", "calls", COUNT, times_calls, .none = "began before", .only = ON_SCREEN,
           .shown = is_not_mixed),
    GETTER("traced", "traced", COUNT, times_traced, .shown = is_mixed),
    COLUMN("total_ns", "total", NS, T(total_ns)),
    COLUMN("self_ns", "self", NS, T(self_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, times_share),
    COLUMN("waiting_ns", NULL, NS, T(away_ns), .optional = T(away_ns), .only = IN_FILES),
    COLUMN("ready_ns", NULL, NS, T(ready_ns), .optional = T(ready_ns), .only = IN_FILES),
    GETTER("waiting_ns", "waiting", NS, times_waiting, .only = ON_SCREEN, .shown = has_clocks),
    COLUMN("ready_ns", "no CPU", NS, T(ready_ns), .only = ON_SCREEN,
           .shown = pinsight_report_has_ready),
    COLUMN("mean_ns", "mean", NS, T(mean_ns)),
    COLUMN("min_ns", "min", NS, T(min_ns), .needs = T(has_range), .shown = has_range,
           .width = WIDTH_FOR_MIN),
    COLUMN("max_ns", "max", NS, T(max_ns), .needs = T(has_max), .width = WIDTH_FOR_MAX),
    COLUMN("counted_calls", "counted", COUNT, T(counted_calls), .shown = is_mixed),
    FIELDS(NS, T, counted_total_ns, counted_self_ns),
    COLUMN("in_part", NULL, BOOL, T(in_part), .optional = T(in_part)),
};
static const struct pinsight_table times = {PINSIGHT_COLUMNS(times_columns)};

#define TIMES_ON_SCREEN                                                                            \
    "self_ns share waiting_ns ready_ns total_ns calls traced counted_calls mean_ns min_ns max_ns "
#define TIMES_IN_CSV " calls total_ns self_ns mean_ns min_ns max_ns counted_calls"
#define TIMES_IN_JSON TIMES_IN_CSV " counted_total_ns counted_self_ns waiting_ns ready_ns in_part "

/* The CSV has functions and C calls in one table. */
#define CALLS_IN_CSV "kind name module file line caller" TIMES_IN_CSV

VALUE(function_kind, void, pinsight_value_text("function"))

VALUE(c_kind, void, pinsight_value_text("c_call"))

VALUE(no_caller, void, pinsight_value_none())

VALUE(function_place, struct pinsight_function_row,
      pinsight_value_owned(pinsight_text_place(row->file, row->line)))

/* Returns the selector of a function in a configuration. */
VALUE(function_lexgion, struct pinsight_function_row,
      pinsight_value_owned(row->file[0] ? pinsight_lexgion_selector(row->file, row->name) : NULL))

#define F(member) MEMBER(struct pinsight_function_row, member)
static const struct pinsight_column function_columns[] = {
    GETTER("kind", NULL, WORD, function_kind),
    COLUMN("name", "function", STRING, F(name), NAMES_IN(PYTHON)),
    FIELD(STRING, F, file),
    FIELD(SIGNED, F, line),
    GETTER("place", "where", TEXT, function_place, NAMES_IN(DIM)),
    FIELD(TEXT, F, module),
    GETTER("caller", NULL, TEXT, no_caller),
    INNER(NULL, &times, F(times)),
    GETTER("lexgion", NULL, TEXT, function_lexgion),
};

static const struct pinsight_table functions = {
    PINSIGHT_TITLED("Python functions", NULL, "functions", function_columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, functions, function_count),
    .screen = TIMES_ON_SCREEN "name place",
    .json = "name file line module" TIMES_IN_JSON "lexgion",
    .csv = CALLS_IN_CSV,
};

/* Returns the place of a C call. A narrow screen shows it without folders. */
static struct pinsight_value call_place(const void *view, const void *row) {
    const struct pinsight_report *report = view;
    const struct pinsight_c_row *call = row;
    const char *file = call->caller_file;

    if (report->options.width < WIDTH_FOR_FOLDERS)
        file = pinsight_text_file(file);
    return pinsight_value_owned(pinsight_text_place(file, call->caller_line));
}

/* Returns "solver.py:77", or "3 lines" for several lines. */
VALUE(call_lines, struct pinsight_c_row,
      pinsight_value_owned(row->sites > 1
                               ? pinsight_format("%u lines", row->sites)
                               : pinsight_text_place(row->caller_file, row->caller_line)))

VALUE(call_lexgion, struct pinsight_c_row,
      pinsight_value_owned(row->known ? pinsight_lexgion_selector(NULL, row->name) : NULL))

#define C(member) MEMBER(struct pinsight_c_row, member)
static const struct pinsight_column c_columns[] = {
    GETTER("kind", NULL, WORD, c_kind),
    COLUMN("name", "C callable", STRING, C(name), NAMES_IN(C)),
    FIELD(TEXT, C, module),
    COLUMN("caller", "called by", TEXT, C(caller), .align = PINSIGHT_FLEXIBLE),
    FIELD(TEXT, C, caller_file),
    COLUMN("caller_line", NULL, SIGNED, C(caller_line), .needs = C(caller)),
    COLUMN("file", NULL, TEXT, C(caller_file)),
    COLUMN("line", NULL, SIGNED, C(caller_line), .needs = C(caller)),
    GETTER("place", "at", TEXT, call_place, NAMES_IN(DIM)),
    GETTER("lines", "called at", TEXT, call_lines, NAMES_IN(DIM)),
    INNER(NULL, &times, C(times)),
    GETTER("lexgion", NULL, TEXT, call_lexgion),
};

const struct pinsight_table pinsight_c_call_table = {
    PINSIGHT_TITLED("Calls from Python into C", NULL, "c_calls", c_columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, c_calls, c_call_count),
    .screen = TIMES_ON_SCREEN "name caller place",
    .json = "name module caller caller_file caller_line" TIMES_IN_JSON "lexgion",
    .csv = CALLS_IN_CSV,
};

/* C callables, each with all its callers. */
const struct pinsight_table pinsight_callee_table = {
    .title = "Calls from Python into C",
    PINSIGHT_ROWS_IN(struct pinsight_report, callees, callee_count),
    PINSIGHT_COLUMNS(c_columns),
    .screen = TIMES_ON_SCREEN "name lines",
};

static uint64_t group_ns(const struct pinsight_group_row *group) {
    return group->self_ns + group->c_self_ns;
}

VALUE(group_self, void, pinsight_value_number(group_ns(row)))

VALUE(group_share, void, pinsight_value_share(group_ns(row), whole_of(report)))

static struct pinsight_value module_name(const void *view, const void *row) {
    const char *name = ((const struct pinsight_group_row *)row)->name;

    return pinsight_value_text(name[0] ? name : NULL);
}

static struct pinsight_value file_name(const void *view, const void *row) {
    const char *name = ((const struct pinsight_group_row *)row)->name;

    return pinsight_value_owned(name[0] ? pinsight_text_place(name, 0) : NULL);
}

#define G(member) MEMBER(struct pinsight_group_row, member)
#define GROUP_NAME .align = PINSIGHT_FLEXIBLE, .none = "(not known)", .only = ON_SCREEN
static const struct pinsight_column group_columns[] = {
    FIELD(TEXT, G, name),
    COLUMN("module", NULL, TEXT, G(name), .only = IN_FILES),
    GETTER("module", "module", TEXT, module_name, GROUP_NAME),
    COLUMN("file", NULL, TEXT, G(name), .only = IN_FILES),
    GETTER("file", "file", TEXT, file_name, GROUP_NAME),
    COLUMN("calls", "calls", COUNT, G(calls)),
    COLUMN("c_calls", "C calls", COUNT, G(c_calls)),
    COLUMN("total_ns", "total", NS, G(total_ns)),
    GETTER("all_ns", "self", NS, group_self, .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, group_share),
    COLUMN("self_ns", "Python", NS, G(self_ns), .style = PINSIGHT_PYTHON),
    COLUMN("c_self_ns", "C", NS, G(c_self_ns), .style = PINSIGHT_C),
    COLUMN("counted_calls", NULL, COUNT, G(counted[PINSIGHT_FUNCTION])),
    COLUMN("counted_c_calls", NULL, COUNT, G(counted[PINSIGHT_C_CALL])),
};

#define GROUP_TABLE(over, list, word)                                                              \
    {                                                                                              \
        .title = over, .empty = true, .key = list,                                                 \
        PINSIGHT_ROWS_IN(struct pinsight_report, groups, group_count),                             \
        PINSIGHT_COLUMNS(group_columns),                                                           \
        .screen = "all_ns share self_ns c_self_ns total_ns calls c_calls " word,                   \
        .json = "name calls c_calls total_ns self_ns c_self_ns counted_calls counted_c_calls",     \
        .csv = word " calls c_calls total_ns self_ns c_self_ns"                                    \
    }

const struct pinsight_table pinsight_module_table = GROUP_TABLE("Modules", "modules", "module");
const struct pinsight_table pinsight_file_table = GROUP_TABLE("Files", "files", "file");

void pinsight_section_functions(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_section_print(report, out, &functions, limit);
    if (report->function_count || view_domains_seen(report))
        return;
    pinsight_section_sorted(report, out, functions.title, 0, limit);
    fputs("   none\n", out);
}

void pinsight_functions_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit) {
    pinsight_report_list(report, json, &functions, limit);
    pinsight_report_list(report, json, &pinsight_c_call_table, limit);
    if (report->options.by == PINSIGHT_VIEW_MODULE)
        pinsight_report_list(report, json, &pinsight_module_table, limit);
    if (report->options.by == PINSIGHT_VIEW_FILE)
        pinsight_report_list(report, json, &pinsight_file_table, limit);
    if (report->options.by == PINSIGHT_VIEW_RANK)
        pinsight_report_list(report, json, &pinsight_rank_rows_table, limit);
}

void pinsight_functions_csv(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_report_lines(report, out, &functions, limit, true);
    pinsight_report_lines(report, out, &pinsight_c_call_table, limit, false);
}
