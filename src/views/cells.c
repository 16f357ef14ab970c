/* Cells, titles and limits of tables. */
#include "views/cells.h"

#include "reader/mem.h"
#include "views/head.h"
#include "views/units.h"

#include <stdlib.h>

static const char *const sorted_by[] = {
    "by self time", "by total time", "by calls", "by mean time",
    "by shortest",  "by longest",    "by name",
};

void pinsight_number_cell(struct pinsight_table *table, uint64_t number) {
    char buffer[PINSIGHT_UNITS_SIZE];

    pinsight_table_cell(table, pinsight_strdup(pinsight_units_count(buffer, number)));
}

void pinsight_time_cell(struct pinsight_table *table, uint64_t ns) {
    char buffer[PINSIGHT_UNITS_SIZE];

    pinsight_table_cell(table, pinsight_strdup(pinsight_units_time(buffer, ns)));
}

void pinsight_share_cell(struct pinsight_table *table, uint64_t part, uint64_t whole) {
    char buffer[PINSIGHT_UNITS_SIZE];

    pinsight_table_cell(table, pinsight_strdup(pinsight_units_percent(buffer, part, whole)));
}

struct pinsight_table pinsight_section_table(const struct pinsight_report *report) {
    return (struct pinsight_table){.colour = report->options.colour,
                                   .width = report->options.width};
}

size_t pinsight_rows_shown(size_t count, size_t limit) {
    return limit && limit < count ? limit : count;
}

/* "by self time, 10 of 143" */
static char *remark(const struct pinsight_report *report, size_t count, size_t limit) {
    char all[PINSIGHT_UNITS_SIZE], some[PINSIGHT_UNITS_SIZE];

    const char *both = report->mixed ? ", traced and counted calls together" : "";

    if (pinsight_rows_shown(count, limit) == count)
        return pinsight_format("%s%s", sorted_by[report->options.sort], both);
    return pinsight_format("%s%s, %s of %s (--limit 0 shows all)", sorted_by[report->options.sort],
                           both, pinsight_units_count(some, pinsight_rows_shown(count, limit)),
                           pinsight_units_count(all, count));
}

void pinsight_section_start(const struct pinsight_report *report, FILE *out, const char *title,
                            size_t count, size_t limit) {
    char *text = remark(report, count, limit);

    pinsight_head_section(report, out, title, text);
    free(text);
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
