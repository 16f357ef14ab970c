/* The report's section on regions and marks that the program names. */
#include "reader/core/marked_sums.h"

#include "reader/model.h"
#include "views/core/core.h"
#include "views/report/tables.h"

static const char *kind_word(unsigned kind) {
    return kind == PINSIGHT_MARKED_REGION ? "region"
           : kind == PINSIGHT_MARKED_MARK ? "mark"
                                          : "value";
}

static uint64_t timed(const struct pinsight_marked *row) {
    return row->kind == PINSIGHT_MARKED_REGION ? row->recorded + row->counted : 0;
}

VALUE(total, struct pinsight_marked,
      timed(row) ? pinsight_value_number(row->total_ns) : pinsight_value_none())

VALUE(mean, struct pinsight_marked,
      timed(row) ? pinsight_value_number(row->total_ns / timed(row)) : pinsight_value_none())

VALUE(longest, struct pinsight_marked,
      timed(row) ? pinsight_value_number(row->max_ns) : pinsight_value_none())

/* Returns whether a column of numbers has any. */
#define ANY(member)                                                                                \
    static bool any_##member(const void *of_view) {                                                \
        const struct pinsight_report *report = of_view;                                            \
        for (size_t i = 0; i < report->model->marked.count; i++)                                   \
            if (report->model->marked.rows[i].member)                                              \
                return true;                                                                       \
        return false;                                                                              \
    }
ANY(counted)
ANY(outside)

#define R(member) MEMBER(struct pinsight_marked, member)
static const struct pinsight_column columns[] = {
    COLUMN("name", NULL, STRING_NUMBER, R(name)),
    COLUMN("value", "name", STRING_NUMBER, R(name), NAMES_IN(BOLD)),
    COLUMN("kind", "what", WORD, R(kind), .word = kind_word, .align = PINSIGHT_LEFT),
    COLUMN("recorded", "recorded", COUNT, R(recorded)),
    COLUMN("counted", "counted", COUNT, R(counted), .shown = any_counted),
    COLUMN("outside", "outside", COUNT, R(outside), .shown = any_outside),
    GETTER("total_ns", "total", NS, total, .style = PINSIGHT_BOLD),
    GETTER("mean_ns", "mean", NS, mean),
    GETTER("max_ns", "max", NS, longest),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Regions and marks", "by total time", "marked", columns),
    PINSIGHT_ROWS_INSIDE(struct pinsight_report, model, struct pinsight_model, marked.rows,
                         marked.count),
    .screen = "value kind recorded counted outside total_ns mean_ns max_ns",
    .files = "name kind recorded counted outside total_ns mean_ns max_ns",
};

static bool seen(const struct pinsight_report *report) {
    return report->model->marked.count > 0;
}

void pinsight_marked_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (seen(report))
        pinsight_section_print(report, out, &table, limit);
}

static const char *none(const struct pinsight_report *report) {
    (void)report;
    return "The program named no regions and no marks: with pinsight.region(\"assembly\") does.";
}

const struct pinsight_section pinsight_section_of_marked = {
    PINSIGHT_SECTION("marked", "Regions and marks", 10, seen, none),
    .about = "regions and marks that the program named: number, total, mean and longest\n"
             "time, in place of the tables",
    .example = "phases of a solver, steps of a training",
    .next = "your regions and marks",
    .table = &table,
};
