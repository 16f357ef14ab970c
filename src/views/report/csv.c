/* The report as CSV (RFC 4180), one table, the one that the options choose; and as a picture. */
#include "views/report/report.h"
#include "views/report/section.h"
#include "views/report/sections.h"

int pinsight_report_csv(const struct pinsight_report *report, FILE *out) {
    static void (*const tables[])(const struct pinsight_report *, FILE *, size_t) = {
        [PINSIGHT_VIEW_FUNCTION] = pinsight_functions_csv,
        [PINSIGHT_VIEW_MODULE] = pinsight_groups_csv,
        [PINSIGHT_VIEW_FILE] = pinsight_groups_csv,
        [PINSIGHT_VIEW_THREAD] = pinsight_threads_csv,
    };
    const struct pinsight_report_options *options = &report->options;

    (options->section ? options->section->csv
                      : tables[options->by])(report, out, options->limit > 0 ? options->limit : 0);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

int pinsight_report_svg(const struct pinsight_report *report, FILE *out) {
    report->options.section->svg(report, out);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
