/* The tables of causes for which devices were idle. */
#include "views/cuda/cuda.h"
#include "views/cuda/idle.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/process_name.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

static const struct pinsight_cuda_device *device_of(const struct pinsight_report *report,
                                                    const struct pinsight_idle_row *row) {
    return &pinsight_model_cuda(report->model)->devices[row->device];
}

const char *pinsight_doing_callee(const struct pinsight_report *report,
                                  const struct pinsight_doing *doing) {
    const struct pinsight_model *model = report->model;

    switch ((enum pinsight_callee_kind)doing->callee_kind) {
    case PINSIGHT_CALLEE_FUNCTION:
        return pinsight_function_name(model, doing->callee);
    case PINSIGHT_CALLEE_C:
        return pinsight_callee_name(model, doing->callee);
    case PINSIGHT_CALLEE_CUDA:
        return pinsight_report_string(report,
                                      pinsight_model_cuda(model)->functions[doing->callee].name);
    default:
        return NULL;
    }
}

char *pinsight_doing_place(const struct pinsight_report *report,
                           const struct pinsight_doing *doing) {
    const struct pinsight_function *function;
    char *first, *place;

    if (doing->place.function == PINSIGHT_NONE)
        return NULL;
    function = &report->model->functions[doing->place.function];
    first = pinsight_text_place(pinsight_report_string(report, function->file),
                                doing->place.line ? doing->place.line : function->line);
    if (doing->place.line || !doing->before)
        return first;
    place = pinsight_format("%s, before line %d", first, doing->before);
    free(first);
    return place;
}

VALUE(device_name, struct pinsight_idle_row,
      pinsight_value_owned(pinsight_cuda_device_name(report, device_of(report, row))))
VALUE(device_number, struct pinsight_idle_row,
      pinsight_value_number(device_of(report, row)->number))
VALUE(device_pid, struct pinsight_idle_row,
      pinsight_value_signed(report->model->processes[device_of(report, row)->process]->pid))
VALUE(share, struct pinsight_idle_row,
      pinsight_value_share(row->ns, pinsight_time_rest(device_of(report, row)->last_ns,
                                                       device_of(report, row)->first_ns)))
VALUE(callee, struct pinsight_doing, pinsight_value_text(pinsight_doing_callee(report, row)))
VALUE(where, struct pinsight_doing, pinsight_value_owned(pinsight_doing_place(report, row)))

VALUE(before, struct pinsight_doing,
      row->place.line || !row->before ? pinsight_value_none() : pinsight_value_signed(row->before))

#define D(member) MEMBER(struct pinsight_doing, member)
static const struct pinsight_column doing_columns[] = {
    COLUMN("cause", "cause", WORD, D(cause), .word = pinsight_idle_cause_word,
           .align = PINSIGHT_LEFT),
    INNER(NULL, &python_place_table, D(place)),
    GETTER("before_line", NULL, SIGNED, before),
    GETTER("callee", "in", TEXT, callee, NAMES_IN(C)),
    GETTER("where", "where", TEXT, where, NAMES_IN(DIM)),
};
static const struct pinsight_table doing = {PINSIGHT_COLUMNS(doing_columns)};

SHOWN(has_devices, pinsight_model_cuda(report->model)->device_count > 1)

#define R(member) MEMBER(struct pinsight_idle_row, member)
static const struct pinsight_column columns[] = {
    GETTER("name", "device", TEXT, device_name, .align = PINSIGHT_LEFT, .shown = has_devices),
    GETTER("pid", NULL, SIGNED, device_pid),
    GETTER("device", NULL, ID, device_number),
    INNER(NULL, &doing, R(doing)),
    COLUMN("idle_ns", "idle", NS, R(ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, share),
    COLUMN("gaps", "gaps", COUNT, R(gaps)),
    COLUMN("longest_ns", "longest", NS, R(longest_ns), .width = 100),
};

const struct pinsight_table pinsight_idle_table = {
    PINSIGHT_TITLED("Why devices were idle", "by the work of the thread that launched next", "idle",
                    columns),
    IDLE_ROWS(rows, count),
    .screen = "idle_ns share gaps longest_ns name cause function where callee",
    .json = "pid device cause function file line before_line callee idle_ns gaps longest_ns",
};

VALUE(other_pid, struct pinsight_other_row,
      pinsight_value_signed(report->model->processes[row->process]->pid))

VALUE(other_process, struct pinsight_other_row,
      pinsight_value_owned(view_process_name(report->model->processes[row->process])))

#define O(member) MEMBER(struct pinsight_other_row, member)
static const struct pinsight_column other_columns[] = {
    GETTER("pid", NULL, SIGNED, other_pid),
    GETTER("process", "process", TEXT, other_process, .align = PINSIGHT_LEFT),
    INNER(NULL, &doing, O(doing)),
    COLUMN("time_ns", "time", NS, O(ns), .style = PINSIGHT_BOLD),
};

const struct pinsight_table pinsight_others_table = {
    PINSIGHT_TITLED("Threads that called no CUDA", "by time", "others", other_columns),
    IDLE_ROWS(others, other_count),
    .screen = "time_ns process cause function where callee",
    .json = "pid cause function file line callee time_ns",
};
