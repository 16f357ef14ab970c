/* The report's section on OpenMP. */
#include "views/openmp/openmp.h"

#include "base/memory.h"
#include "base/units.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>

static void print_waits(const struct pinsight_report *report, FILE *out) {
    static const char *const names[] = {"implicit barriers",
                                        "explicit barriers",
                                        "taskwait",
                                        "taskgroups",
                                        "locks",
                                        "critical",
                                        "atomic",
                                        "ordered"};
    const struct pinsight_omp_view *view = report->openmp;
    uint64_t waits[PINSIGHT_OMP_WAIT_COUNT] = {0}, lost = 0;
    char *text = NULL;

    for (size_t i = 0; i < view->region_count; i++) {
        for (size_t w = 0; w < PINSIGHT_OMP_WAIT_COUNT; w++)
            waits[w] += view->regions[i].sums.wait_ns[w];
        lost += view->regions[i].sums.imbalance_ns;
    }
    for (size_t w = 0; w < PINSIGHT_OMP_WAIT_COUNT; w++) {
        if (!waits[w])
            continue;
        pinsight_append(&text, "%s%s %s", text ? " · " : "", names[w],
                        pinsight_units_time(waits[w]).text);
        if (w == PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER && lost)
            pinsight_append(&text, " (%s of it at the ends of regions: lost)",
                            pinsight_units_time(lost).text);
    }
    if (text)
        pinsight_head_note(report, out, "Waiting, all threads together: %s", text);
    free(text);
}

static const struct pinsight_section section;

static void print_openmp(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_omp_seen(report)) {
        pinsight_section_nothing(&section, report, out);
        return;
    }
    if (report->openmp->function_count)
        pinsight_omp_print_functions(report, out, limit);
    if (report->options.tree)
        pinsight_omp_print_paths(report, out, limit);
    else
        pinsight_section_print(report, out, &pinsight_omp_place_table, limit);
    print_waits(report, out);
    pinsight_section_openmp_threads(report, out, limit);
}

void pinsight_omp_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;

    pinsight_report_list(report, json, &pinsight_omp_region_table, limit);
    pinsight_json_open(json, "openmp", '{');
    pinsight_json_unsigned(json, "wall_ns", report->attribution->wall_ns);
    pinsight_json_unsigned(json, "recorded_ns", view->recorded_ns);
    pinsight_json_unsigned(json, "others_ns", pinsight_omp_others(report));
    pinsight_json_unsigned(json, "elsewhere_ns", report->attribution->elsewhere_ns);
    pinsight_json_unsigned(json, "regions_ns", view->regions_ns);
    pinsight_report_list(report, json, &pinsight_omp_function_table, limit);
    pinsight_json_close(json, '}');
}

static const struct pinsight_section section = {
    PINSIGHT_SECTION("openmp", "OpenMP", 4, pinsight_omp_seen, pinsight_omp_none),
    .about = "OpenMP regions, and the Python lines that caused them, in place of the tables;\n"
             "with --tree the whole call path of each",
    .example = "regions, and who started them",
    .next = "regions, threads, imbalance",
    .with_tree = true,
    .lines = &pinsight_omp_region_table,
    .screen = print_openmp,
};

const struct pinsight_section *const pinsight_omp_sections[] = {&section, NULL};
