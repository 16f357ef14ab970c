/* The tables of a report: their titles and limits, and the printers of kit/table.h. */
#include "views/report/tables.h"

#include "base/memory.h"
#include "base/units.h"
#include "views/report/head.h"

#include <stdlib.h>

static const char *const sorted_by[] = {
    "by self time", "by total time", "by calls", "by mean time",
    "by shortest",  "by longest",    "by name",
};

struct pinsight_printing pinsight_report_printing(const struct pinsight_report *report) {
    return (struct pinsight_printing){.view = report,
                                      .strings = &report->model->strings,
                                      .colour = report->options.colour,
                                      .width = report->options.width};
}

size_t pinsight_rows_shown(size_t count, size_t limit) {
    return limit && limit < count ? limit : count;
}

size_t pinsight_section_rows(const struct pinsight_report *report, FILE *out, const char *title,
                             const char *remark, size_t count, size_t limit) {
    size_t shown = pinsight_rows_shown(count, limit);
    char *text = shown == count ? pinsight_strdup(remark)
                                : pinsight_format("%s, %zu of %zu (--limit 0 shows all)", remark,
                                                  shown, count);

    pinsight_head_section(report, out, title, text);
    free(text);
    return shown;
}

void pinsight_section_sorted(const struct pinsight_report *report, FILE *out, const char *title,
                             size_t count, size_t limit) {
    size_t shown = pinsight_rows_shown(count, limit);
    const char *by = sorted_by[report->options.sort];
    const char *both = report->mixed ? ", traced and counted calls together" : "";
    char *text = shown == count ? pinsight_format("%s%s", by, both)
                                : pinsight_format("%s%s, %s of %s (--limit 0 shows all)", by, both,
                                                  pinsight_units_count(shown).text,
                                                  pinsight_units_count(count).text);

    pinsight_head_section(report, out, title, text);
    free(text);
}

void pinsight_report_table(const struct pinsight_report *report, FILE *out,
                           const struct pinsight_table *table, struct pinsight_rows rows,
                           size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);

    pinsight_table_screen(table, &printing, rows, limit, out);
}

void pinsight_section_print_rows(const struct pinsight_report *report, FILE *out,
                                 const struct pinsight_table *table, struct pinsight_rows rows,
                                 size_t limit) {
    if (!rows.count && !table->empty)
        return;
    if (table->remark)
        pinsight_section_rows(report, out, table->title, table->remark, rows.count, limit);
    else
        pinsight_section_sorted(report, out, table->title, rows.count, limit);
    pinsight_report_table(report, out, table, rows, limit);
}

void pinsight_section_print(const struct pinsight_report *report, FILE *out,
                            const struct pinsight_table *table, size_t limit) {
    struct pinsight_rows rows = pinsight_table_rows(table, report);

    pinsight_section_print_rows(report, out, table, rows, limit);
    pinsight_rows_free(rows);
}

void pinsight_report_list(const struct pinsight_report *report, struct pinsight_json *json,
                          const struct pinsight_table *table, size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct pinsight_rows rows = pinsight_table_rows(table, report);

    pinsight_table_json(table, &printing, rows, table->whole & PINSIGHT_FORM_JSON ? 0 : limit,
                        json);
    pinsight_rows_free(rows);
}

void pinsight_report_lines(const struct pinsight_report *report, FILE *out,
                           const struct pinsight_table *table, size_t limit, bool head) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct pinsight_rows rows = pinsight_table_rows(table, report);

    pinsight_table_csv(table, &printing, rows, table->whole & PINSIGHT_FORM_CSV ? 0 : limit, out,
                       head);
    pinsight_rows_free(rows);
}
