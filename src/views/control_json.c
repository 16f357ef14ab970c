/* What control did, as JSON. */
#include "views/control.h"

static void write_windows(struct pinsight_json *json, const struct pinsight_report *report) {
    const struct pinsight_history *history = &report->model->history;

    pinsight_json_open(json, "windows", '[');
    for (size_t i = 0; i < history->window_count; i++) {
        const struct pinsight_window *window = &history->windows[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_unsigned(json, "time_ns", window->ns);
        pinsight_json_signed(json, "pid", window->process->pid);
        pinsight_json_string(json, "domain", pinsight_report_string(report, window->domain));
        pinsight_json_string(json, "kind",
                             window->kind == PINSIGHT_FUNCTION ? "function"
                             : window->kind == PINSIGHT_REGION ? "region"
                                                               : "c_call");
        pinsight_json_string(json, "name", pinsight_report_string(report, window->name));
        if (window->kind != PINSIGHT_C_CALL) {
            pinsight_json_string(json, "file", pinsight_report_string(report, window->file));
            pinsight_json_signed(json, "line", window->line);
        } else {
            pinsight_json_null(json, "file");
            pinsight_json_null(json, "line");
        }
        pinsight_json_unsigned(json, "executions", window->executions);
        pinsight_json_unsigned(json, "recorded", window->recorded);
        pinsight_json_string(json, "cause", pinsight_window_cause_word(window->cause));
        pinsight_json_text(json, "rule", pinsight_report_string(report, window->rule));
        pinsight_json_text(json, "after", pinsight_report_string(report, window->after));
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_mode(struct pinsight_json *json, const struct pinsight_report *report,
                       const struct pinsight_mode_change *change) {
    pinsight_json_string(json, "domain", pinsight_report_string(report, change->domain));
    pinsight_json_string(json, "from", pinsight_mode_word(change->from));
    pinsight_json_string(json, "to", pinsight_mode_word(change->to));
    pinsight_json_text(json, "reason", pinsight_report_string(report, change->reason));
}

static void write_config(struct pinsight_json *json, const struct pinsight_report *report,
                         const struct pinsight_config_change *change) {
    pinsight_json_text(json, "path", pinsight_report_string(report, change->path));
    pinsight_json_text(json, "reason", pinsight_report_string(report, change->reason));
    pinsight_json_unsigned(json, "generation", change->generation);
    pinsight_json_bool(json, "failed", change->failed);
    pinsight_json_text(json, "message", pinsight_report_string(report, change->message));
}

static void write_introspection(struct pinsight_json *json, const struct pinsight_report *report,
                                const struct pinsight_change *change) {
    const struct pinsight_introspection *introspection = &change->introspection;

    pinsight_json_unsigned(json, "number", introspection->number);
    pinsight_json_text(json, "cause", pinsight_report_string(report, introspection->cause));
    pinsight_json_text(json, "script", pinsight_report_string(report, introspection->script));
    if (introspection->begun)
        pinsight_json_signed(json, "pause_limit_ns", introspection->pause_ns);
    else
        pinsight_json_null(json, "pause_limit_ns");
    if (introspection->begun && introspection->ended)
        pinsight_json_unsigned(json, "duration_ns", introspection->end_ns - change->ns);
    else
        pinsight_json_null(json, "duration_ns");
    if (!introspection->ended) {
        pinsight_json_null(json, "end");
        return;
    }
    pinsight_json_string(json, "end", pinsight_introspect_end_word(introspection->how));
    if (introspection->status == PINSIGHT_STATUS_UNKNOWN)
        pinsight_json_null(json, "status");
    else
        pinsight_json_signed(json, "status", introspection->status);
    pinsight_json_unsigned(json, "threads_stopped", introspection->threads_stopped);
    pinsight_json_unsigned(json, "threads_running", introspection->threads_running);
    pinsight_json_bool(json, "reloaded", introspection->reloaded);
    pinsight_json_string(json, "mode", pinsight_mode_word(introspection->mode));
    pinsight_json_text(json, "chunk", pinsight_report_string(report, introspection->chunk));
    pinsight_json_text(json, "message", pinsight_report_string(report, introspection->message));
}

static void write_changes(struct pinsight_json *json, const struct pinsight_report *report) {
    static const char *const kinds[] = {"mode", "configuration", "introspection"};
    const struct pinsight_history *history = &report->model->history;

    pinsight_json_open(json, "changes", '[');
    for (size_t i = 0; i < history->change_count; i++) {
        const struct pinsight_change *change = &history->changes[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "kind", kinds[change->kind]);
        pinsight_json_unsigned(json, "time_ns", change->ns);
        pinsight_json_signed(json, "pid", change->process->pid);
        switch (change->kind) {
        case PINSIGHT_CHANGED_MODE:
            write_mode(json, report, &change->mode);
            break;
        case PINSIGHT_CHANGED_CONFIGURATION:
            write_config(json, report, &change->config);
            break;
        default:
            write_introspection(json, report, change);
        }
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

void pinsight_control_json(const struct pinsight_report *report, struct pinsight_json *json) {
    write_windows(json, report);
    write_changes(json, report);
}
