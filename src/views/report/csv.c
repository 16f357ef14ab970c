/* Writes the table that the options choose as CSV (RFC 4180), and the picture as SVG. */
#include "views/report/report.h"
#include "views/report/section.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

int pinsight_report_csv(const struct pinsight_report *report, FILE *out) {
    static const struct pinsight_table *const tables[] = {
        [PINSIGHT_VIEW_FUNCTION] = NULL,
        [PINSIGHT_VIEW_MODULE] = &pinsight_module_table,
        [PINSIGHT_VIEW_FILE] = &pinsight_file_table,
        [PINSIGHT_VIEW_THREAD] = &pinsight_threads_table,
        [PINSIGHT_VIEW_RANK] = &pinsight_rank_rows_table,
    };
    const struct pinsight_report_options *options = &report->options;
    size_t limit = options->limit > 0 ? (size_t)options->limit : 0;

    if (options->section)
        pinsight_section_csv(options->section, report, out, limit);
    else if (tables[options->by])
        pinsight_report_lines(report, out, tables[options->by], limit, true);
    else
        pinsight_functions_csv(report, out, limit);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

int pinsight_report_svg(const struct pinsight_report *report, FILE *out) {
    report->options.section->svg(report, out);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
