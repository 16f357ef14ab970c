/* The table of Python functions with the regions that they caused. */
#include "views/openmp/openmp.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* Narrower screens leave out the columns. */
#define WIDTH_FOR_PARTS 130

static uint64_t all_ns(const struct pinsight_omp_function *row) {
    return row->python_ns + row->c_ns + row->regions.total_ns;
}

VALUE(all, void, pinsight_value_number(all_ns(row)))

VALUE(share, void,
      pinsight_value_share(all_ns(row), pinsight_attribution_whole_with_idle_ns(report)))

FUNCTION_PLACE(place, struct pinsight_omp_function)

#define C(member) MEMBER(struct pinsight_omp_caller, member)
static const struct pinsight_column caller_columns[] = {
    COLUMN("calls", "regions", COUNT, C(calls)),
    COLUMN("total_ns", "OpenMP", NS, C(total_ns)),
    COLUMN("work_ns", "work", NS, C(work_ns)),
    COLUMN("imbalance_ns", "imbalance", NS, C(imbalance_ns)),
    COLUMN("waiting_ns", "waiting", NS, C(waiting_ns)),
    COLUMN("runtime_ns", "runtime", NS, C(runtime_ns)),
};

const struct pinsight_table pinsight_omp_caller_table = {
    PINSIGHT_COLUMNS(caller_columns),
};

#define F(member) MEMBER(struct pinsight_omp_function, member)
static const struct pinsight_column columns[] = {
    FUNCTION_COLUMNS("(no Python)", F, place),
    GETTER("all_ns", "all", NS, all, .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, share, .width = WIDTH_FOR_PARTS),
    COLUMN("python_ns", "Python", NS, F(python_ns), .style = PINSIGHT_PYTHON,
           .width = WIDTH_FOR_PARTS),
    COLUMN("c_ns", "C", NS, F(c_ns), .style = PINSIGHT_C, .width = WIDTH_FOR_PARTS),
    INNER("regions", &pinsight_omp_caller_table, F(regions)),
};

const struct pinsight_table pinsight_omp_function_table = {
    PINSIGHT_LIST("functions", columns),
    OMP_ROWS(functions, function_count),
    .screen = "all_ns share python_ns c_ns total_ns work_ns imbalance_ns waiting_ns runtime_ns "
              "calls name place",
    .json = "name file line all_ns python_ns c_ns regions",
};

/* Writes a line such as "1.20 s of 1.30 s recorded (92.3 %), in 2 threads". */
static void print_recorded(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_attribution_view *attribution = report->attribution;
    char *rest = pinsight_strdup("");

    if (attribution->wall_ns)
        pinsight_append(
            &rest, " (%s %%)",
            pinsight_units_percent(attribution->recorded_ns, attribution->wall_ns).text);
    if (attribution->callers > 1)
        pinsight_append(&rest, ", in %u threads", attribution->callers);
    pinsight_head_note(report, out, "%s of %s recorded%s",
                       pinsight_units_time(attribution->recorded_ns).text,
                       pinsight_units_time(attribution->wall_ns).text, rest);
    free(rest);
}

/* Writes a line for each function that caused regions. The other functions, and those beyond the
 * limit, share a line, so that the lines add up. */
void pinsight_omp_print_functions(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;
    const struct pinsight_attribution_view *attribution = report->attribution;
    struct pinsight_omp_function *rows = pinsight_calloc(view->function_count + 3, sizeof(*rows));
    struct pinsight_omp_function rest = {0};
    size_t shown = 0, others = 0;
    char *label = NULL;

    for (size_t i = 0; i < view->function_count; i++) {
        const struct pinsight_omp_function *row = &view->functions[i];

        if (row->regions.calls && (!limit || shown < limit)) {
            rows[shown++] = *row;
            continue;
        }
        others++;
        rest.python_ns += row->python_ns;
        rest.c_ns += row->c_ns;
        pinsight_omp_add_caller(&rest.regions, &row->regions);
    }
    if (others) {
        rest.name = label =
            pinsight_format("(%zu other function%s)", others, others == 1 ? "" : "s");
        rows[shown++] = rest;
    }
    if (pinsight_omp_others(report))
        rows[shown++] = (struct pinsight_omp_function){.name = "(imports, other native work)",
                                                       .c_ns = pinsight_omp_others(report)};
    if (attribution->elsewhere_ns)
        rows[shown++] = (struct pinsight_omp_function){.name = "(nothing recorded)",
                                                       .python_ns = attribution->elsewhere_ns};
    pinsight_head_section(report, out, "Python functions, with the regions that they caused",
                          "in the calling thread; the lines add up");
    pinsight_report_table(report, out, &pinsight_omp_function_table, PINSIGHT_ROWS(rows, shown), 0);
    print_recorded(report, out);
    free(label);
    free(rows);
}
