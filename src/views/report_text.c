/* The report as text: one screen, unless more is asked for. */
#include "views/control.h"
#include "views/cuda.h"
#include "views/head.h"
#include "views/imports.h"
#include "views/links.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/report.h"
#include "views/screen.h"
#include "views/sections.h"

/* Lines that are not rows of tables: heads, titles, what was not recorded. */
#define OTHER_LINES 21

/* How many rows a table gets that may have share of every 10 of the screen's rows. */
static size_t rows(const struct pinsight_report *report, FILE *out, unsigned share) {
    unsigned height = pinsight_screen_height(out);
    unsigned room = height > OTHER_LINES + 10 ? height - OTHER_LINES : height ? 10 : 24;

    if (report->options.limit >= 0)
        return (size_t)report->options.limit;
    return room * share / 10;
}

int pinsight_report_text(const struct pinsight_report *report, FILE *out) {
    pinsight_head_print(report, out, NULL);
    if (report->options.imports) {
        pinsight_section_imports(report, out);
    } else if (report->options.links) {
        pinsight_section_links(report, out, rows(report, out, 5));
    } else if (report->options.openmp) {
        pinsight_section_openmp(report, out, rows(report, out, 4));
    } else if (report->options.matrix && pinsight_mpi_seen(report)) {
        pinsight_section_mpi_matrix(report, out, rows(report, out, 10));
    } else if (report->options.mpi || report->options.matrix) {
        pinsight_section_mpi(report, out, rows(report, out, 3));
    } else if (report->options.tree) {
        pinsight_section_tree(report, out);
    } else {
        switch (report->options.by) {
        case PINSIGHT_VIEW_MODULE:
        case PINSIGHT_VIEW_FILE:
            pinsight_section_groups(report, out, rows(report, out, 10));
            break;
        case PINSIGHT_VIEW_THREAD:
            pinsight_section_threads(report, out, rows(report, out, 10));
            pinsight_section_processes(report, out, rows(report, out, 10));
            break;
        default:
            if (report->function_count ||
                !(pinsight_omp_seen(report) || pinsight_mpi_seen(report) ||
                  pinsight_cuda_seen(report)))
                pinsight_section_functions(report, out, rows(report, out, 5));
            pinsight_section_c_calls(report, out, rows(report, out, 3));
            pinsight_section_openmp_brief(report, out, rows(report, out, 2));
            pinsight_section_mpi_brief(report, out, rows(report, out, 2));
            pinsight_section_cuda_brief(report, out, rows(report, out, 2));
            pinsight_section_threads(report, out, rows(report, out, 2));
        }
        pinsight_section_imports_brief(report, out);
        pinsight_section_windows(report, out, rows(report, out, 3));
        pinsight_section_changes(report, out, rows(report, out, 4));
    }
    pinsight_foot_print(report, out, false);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
