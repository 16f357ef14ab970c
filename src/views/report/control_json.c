/* Writes the actions of control as JSON. */
#include "views/report/control.h"

#include "views/report/sections.h"
#include "views/report/tables.h"

static const char *kind_word(unsigned kind) {
    return kind == PINSIGHT_FUNCTION ? "function" : kind == PINSIGHT_REGION ? "region" : "c_call";
}

/* A C callable has no place. */
VALUE(window_file, struct pinsight_past_window,
      pinsight_value_text(row->kind == PINSIGHT_C_CALL ? NULL
                                                       : pinsight_report_string(report, row->file)))

VALUE(window_line, struct pinsight_past_window,
      row->kind == PINSIGHT_C_CALL ? pinsight_value_none() : pinsight_value_signed(row->line))

#define W(member) MEMBER(struct pinsight_past_window, member)
static const struct pinsight_column window_columns[] = {
    COLUMN("time_ns", NULL, NS, W(ns)),
    INNER(NULL, &pinsight_pid_table, W(process), .pointer = true),
    FIELD(STRING_NUMBER, W, domain),
    COLUMN("kind", NULL, WORD, W(kind), .word = kind_word),
    FIELD(STRING_NUMBER, W, name),
    GETTER("file", NULL, STRING, window_file),
    GETTER("line", NULL, SIGNED, window_line),
    FIELDS(COUNT, W, executions, recorded),
    COLUMN("cause", NULL, WORD, W(cause), .word = pinsight_window_cause_word),
    FIELDS(TEXT_NUMBER, W, rule, after),
};

static const struct pinsight_table windows = {
    PINSIGHT_LIST("windows", window_columns),
    MODEL_ROWS(history.windows, history.window_count),
};

#define M(member) MEMBER(struct pinsight_change, mode.member)
static const struct pinsight_column mode_columns[] = {
    FIELD(STRING_NUMBER, M, domain),
    COLUMN("from", NULL, WORD, M(from), .word = pinsight_mode_word),
    COLUMN("to", NULL, WORD, M(to), .word = pinsight_mode_word),
    FIELD(TEXT_NUMBER, M, reason),
};

#define C(member) MEMBER(struct pinsight_change, config.member)
static const struct pinsight_column config_columns[] = {
    FIELDS(TEXT_NUMBER, C, path, reason),
    FIELD(COUNT, C, generation),
    FIELD(BOOL, C, failed),
    FIELD(TEXT_NUMBER, C, message),
};

/* The duration is known if the trace has the begin and the end of an introspection. */
static struct pinsight_value duration(const void *view, const void *row) {
    const struct pinsight_change *change = row;
    const struct pinsight_past_introspection *introspection = &change->introspection;

    return introspection->begun && introspection->ended
               ? pinsight_value_number(introspection->end_ns - change->ns)
               : pinsight_value_none();
}

static struct pinsight_value status(const void *view, const void *row) {
    int32_t status = ((const struct pinsight_change *)row)->introspection.status;

    return status == PINSIGHT_STATUS_UNKNOWN ? pinsight_value_none()
                                             : pinsight_value_signed(status);
}

#define I(member) MEMBER(struct pinsight_change, introspection.member)
#define ENDED .optional = I(ended)
static const struct pinsight_column introspection_columns[] = {
    FIELD(ID, I, number),
    FIELDS(TEXT_NUMBER, I, cause, script),
    COLUMN("pause_limit_ns", NULL, SIGNED, I(pause_ns), .needs = I(begun)),
    GETTER("duration_ns", NULL, NS, duration),
    COLUMN("end", NULL, WORD, I(how), .word = pinsight_introspect_end_word, .needs = I(ended)),
    GETTER("status", NULL, SIGNED, status, ENDED),
    COLUMN("threads_stopped", NULL, COUNT, I(threads_stopped), ENDED),
    COLUMN("threads_running", NULL, COUNT, I(threads_running), ENDED),
    COLUMN("reloaded", NULL, BOOL, I(reloaded), ENDED),
    COLUMN("mode", NULL, WORD, I(mode), .word = pinsight_mode_word, ENDED),
    COLUMN("chunk", NULL, TEXT_NUMBER, I(chunk), ENDED),
    COLUMN("message", NULL, TEXT_NUMBER, I(message), ENDED),
};

static void write_details(struct pinsight_json *json, const struct pinsight_printing *printing,
                          const void *row) {
    static const struct pinsight_table details[] = {
        [PINSIGHT_CHANGED_MODE] = {PINSIGHT_COLUMNS(mode_columns)},
        [PINSIGHT_CHANGED_CONFIGURATION] = {PINSIGHT_COLUMNS(config_columns)},
        [PINSIGHT_INTROSPECTED] = {PINSIGHT_COLUMNS(introspection_columns)},
    };

    pinsight_row_members(&details[((const struct pinsight_change *)row)->kind], printing, row,
                         json);
}

static const char *change_word(unsigned kind) {
    static const char *const kinds[] = {"mode", "configuration", "introspection"};

    return kinds[kind];
}

#define H(member) MEMBER(struct pinsight_change, member)
static const struct pinsight_column change_columns[] = {
    COLUMN("kind", NULL, WORD, H(kind), .word = change_word),
    COLUMN("time_ns", NULL, NS, H(ns)),
    INNER(NULL, &pinsight_pid_table, H(process), .pointer = true),
    WRITER("details", write_details),
};

static const struct pinsight_table changes = {
    PINSIGHT_LIST("changes", change_columns),
    MODEL_ROWS(history.changes, history.change_count),
};

void pinsight_control_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit) {
    pinsight_report_list(report, json, &windows, 0);
    pinsight_report_list(report, json, &changes, 0);
}
