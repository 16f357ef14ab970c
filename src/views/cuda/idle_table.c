/* Why devices were idle, in a report. */
#include "views/cuda/cuda.h"
#include "views/cuda/idle.h"

#include "base/text.h"
#include "base/units.h"
#include "views/report/tables.h"

#include <string.h>

static const struct pinsight_cuda_device *device_of(const struct pinsight_report *report,
                                                    const struct pinsight_idle_row *row) {
    return &pinsight_model_cuda(report->model)->devices[row->device];
}

const char *pinsight_idle_callee(const struct pinsight_report *report,
                                 const struct pinsight_idle_row *row) {
    const struct pinsight_model *model = report->model;

    switch ((enum pinsight_callee_kind)row->callee_kind) {
    case PINSIGHT_CALLEE_FUNCTION:
        return pinsight_function_name(model, row->callee);
    case PINSIGHT_CALLEE_C:
        return pinsight_callee_name(model, row->callee);
    case PINSIGHT_CALLEE_CUDA:
        return pinsight_report_string(report,
                                      pinsight_model_cuda(model)->functions[row->callee].name);
    default:
        return NULL;
    }
}

char *pinsight_idle_place(const struct pinsight_report *report,
                          const struct pinsight_idle_row *row) {
    const struct pinsight_function *function;

    if (row->place.function == PINSIGHT_NONE)
        return NULL;
    function = &report->model->functions[row->place.function];
    return pinsight_text_place(pinsight_report_string(report, function->file),
                               row->place.line ? row->place.line : function->line);
}

VALUE(device_name, struct pinsight_idle_row,
      pinsight_value_owned(pinsight_cuda_device_name(report, device_of(report, row))))
VALUE(device_number, struct pinsight_idle_row,
      pinsight_value_number(device_of(report, row)->number))
VALUE(device_pid, struct pinsight_idle_row,
      pinsight_value_signed(report->model->processes[device_of(report, row)->process]->pid))
VALUE(share, struct pinsight_idle_row,
      pinsight_value_share(row->ns,
                           device_of(report, row)->last_ns - device_of(report, row)->first_ns))
VALUE(callee, struct pinsight_idle_row, pinsight_value_text(pinsight_idle_callee(report, row)))
VALUE(where, struct pinsight_idle_row, pinsight_value_owned(pinsight_idle_place(report, row)))

SHOWN(has_devices, pinsight_model_cuda(report->model)->device_count > 1)

#define R(member) MEMBER(struct pinsight_idle_row, member)
static const struct pinsight_column columns[] = {
    GETTER("name", "device", TEXT, device_name, .align = PINSIGHT_LEFT, .shown = has_devices),
    GETTER("pid", NULL, SIGNED, device_pid),
    GETTER("device", NULL, ID, device_number),
    COLUMN("cause", "cause", WORD, R(cause), .word = pinsight_idle_cause_word,
           .align = PINSIGHT_LEFT),
    INNER(NULL, &python_place_table, R(place)),
    GETTER("callee", "in", TEXT, callee, NAMES_IN(C)),
    COLUMN("idle_ns", "idle", NS, R(ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, share),
    COLUMN("gaps", "gaps", COUNT, R(gaps)),
    COLUMN("longest_ns", "longest", NS, R(longest_ns), .width = 100),
    GETTER("where", "where", TEXT, where, NAMES_IN(DIM)),
};

#define KEYS "pid device cause function file line callee idle_ns gaps longest_ns"
const struct pinsight_table pinsight_idle_table = {
    .title = "Why devices were idle",
    .remark = "by what the thread did meanwhile that launched next",
    .key = "idle",
    PINSIGHT_COLUMNS(columns),
    .screen = "idle_ns share gaps longest_ns name cause function where callee",
    .json = KEYS,
    .csv = KEYS,
};
