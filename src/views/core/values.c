/* The report's section on values that the program marks. */
#include "reader/core/values.h"

#include "reader/model.h"
#include "views/core/core.h"
#include "views/process_name.h"
#include "views/report/tables.h"

#include <stdlib.h>

HAS(is_shown, struct pinsight_counter, row->process->selected)

SHOWN(has_processes, view_processes_are_named(report->model))

VALUE(pid, struct pinsight_counter, pinsight_value_signed(row->process->pid))

VALUE(process, struct pinsight_counter, pinsight_value_owned(view_process_name(row->process)))

VALUE(mean, struct pinsight_counter, (struct pinsight_value){.real = row->sum / (double)row->count})

#define R(member) MEMBER(struct pinsight_counter, member)
static const struct pinsight_column columns[] = {
    COLUMN("name", NULL, STRING_NUMBER, R(name)),
    COLUMN("value", "value", STRING_NUMBER, R(name), .align = PINSIGHT_FLEXIBLE,
           .style = PINSIGHT_BOLD),
    GETTER("pid", NULL, SIGNED, pid),
    GETTER("process", "process", TEXT, process, .shown = has_processes, .align = PINSIGHT_LEFT),
    COLUMN("count", "times", COUNT, R(count)),
    COLUMN("min", "min", DOUBLE, R(min)),
    GETTER("mean", "mean", DOUBLE, mean),
    COLUMN("max", "max", DOUBLE, R(max)),
    COLUMN("last", "last", DOUBLE, R(last), .style = PINSIGHT_BOLD),
    COLUMN("begin_ns", NULL, NS, R(first_ns)),
    COLUMN("end_ns", NULL, NS, R(last_ns)),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Values", "in the order of their first marks", "values", columns),
    PINSIGHT_ROWS_INSIDE(struct pinsight_report, model, struct pinsight_model, counters.counters,
                         counters.count),
    .has = is_shown,
    .screen = "value process count min mean max last",
    .files = "name pid count min mean max last begin_ns end_ns",
};

static bool seen(const struct pinsight_report *report) {
    for (size_t i = 0; i < report->model->counters.count; i++)
        if (report->model->counters.counters[i].process->selected)
            return true;
    return false;
}

static const char *none(const struct pinsight_report *report) {
    (void)report;
    return "The program marked no values: pinsight.mark(\"residual\", 1e-3) does.";
}

const struct pinsight_section pinsight_section_of_values = {
    PINSIGHT_SECTION("values", "Values", 10, seen, none),
    .about = "values that the program marked: number, min, mean, max and last, in place of the\n"
             "tables",
    .example = "residuals, losses, sizes of queues",
    .table = &table,
};
