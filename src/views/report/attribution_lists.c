/* Lists for other programs: calls of the user's lines, and imports. */
#include "views/report/attribution.h"
#include "views/report/tables.h"

static const struct pinsight_attribution_function *
caller_of(const struct pinsight_report *report, const struct pinsight_attribution_call *call) {
    return &report->attribution->functions[call->function];
}

#define CALL struct pinsight_attribution_call
VALUE(caller, CALL, pinsight_value_text(caller_of(report, row)->name))
VALUE(caller_file, CALL, pinsight_value_text(caller_of(report, row)->file))
VALUE(caller_line, CALL, pinsight_value_signed(caller_of(report, row)->line))
VALUE(kind, CALL, pinsight_value_text(row->kind == PINSIGHT_C_CALL ? "c_call" : "function"))

#define C(member) MEMBER(CALL, member)
static const struct pinsight_column call_columns[] = {
    GETTER("function", NULL, TEXT, caller),
    GETTER("file", NULL, TEXT, caller_file),
    GETTER("function_line", NULL, SIGNED, caller_line),
    COLUMN("line", NULL, SIGNED, C(line), .needs = C(line)),
    GETTER("kind", NULL, WORD, kind),
    COLUMN("callee", NULL, TEXT, C(callee)),
    COLUMN("callee_file", NULL, TEXT, C(callee_file)),
    COLUMN("callee_line", NULL, SIGNED, C(callee_line), .needs = C(callee_line)),
    FIELD(COUNT, C, calls),
    FIELDS(NS, C, total_ns, ns),
    COLUMN("away_ns", NULL, NS, C(away_ns), .optional = C(away_ns)),
};

const struct pinsight_table pinsight_attribution_call_table = {
    PINSIGHT_LIST("calls", call_columns),
    ATTRIBUTION_ROWS(calls, call_count),
    .json = "function file function_line line kind callee callee_file callee_line calls total_ns "
            "ns away_ns",
};

#define I(member) MEMBER(struct pinsight_attribution_import, member)
static const struct pinsight_column import_columns[] = {
    COLUMN("package", NULL, TEXT, I(package)),
    COLUMN("file", NULL, TEXT, I(file)),
    COLUMN("line", NULL, SIGNED, I(line), .needs = I(line)),
    FIELDS(NS, I, python_ns, c_ns),
    COLUMN("counted_ns", NULL, NS, I(counted_ns), .optional = I(counted_ns)),
    INNER(NULL, &pinsight_attribution_away_table, I(away)),
};

static const struct pinsight_column own_import_columns[] = {
    COLUMN("module", NULL, TEXT, I(package)),
    COLUMN("file", NULL, TEXT, I(file)),
    FIELDS(NS, I, python_ns, c_ns),
    INNER(NULL, &pinsight_attribution_away_table, I(away)),
};

const struct pinsight_table pinsight_attribution_own_import_table = {
    PINSIGHT_LIST("own_imports", own_import_columns),
    ATTRIBUTION_ROWS(own_imports, own_import_count),
    .json = "module file python_ns c_ns python_waiting_ns c_waiting_ns ready_ns",
};

const struct pinsight_table pinsight_attribution_import_table = {
    PINSIGHT_LIST("imports", import_columns),
    ATTRIBUTION_ROWS(imports, import_count),
    .json = "package file line python_ns c_ns counted_ns python_waiting_ns c_waiting_ns ready_ns",
};
