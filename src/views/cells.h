/* What the tables of a report have in common. */
#ifndef PINSIGHT_VIEWS_CELLS_H
#define PINSIGHT_VIEWS_CELLS_H

#include "views/report.h"
#include "views/table.h"

struct pinsight_table pinsight_section_table(const struct pinsight_report *report);

/* The title of a table of count rows, how it is sorted, and how many of them limit lets through. */
void pinsight_section_start(const struct pinsight_report *report, FILE *out, const char *title,
                            size_t count, size_t limit);

/* The title of a table of count rows, and what the remark says of them; how many of them are shown,
 * of which the title tells too where limit leaves some out. */
size_t pinsight_section_rows(const struct pinsight_report *report, FILE *out, const char *title,
                             const char *remark, size_t count, size_t limit);

/* How many of count rows are shown; a limit of 0 is none. */
size_t pinsight_rows_shown(size_t count, size_t limit);

void pinsight_number_cell(struct pinsight_table *table, uint64_t number);
void pinsight_time_cell(struct pinsight_table *table, uint64_t ns);
void pinsight_share_cell(struct pinsight_table *table, uint64_t part, uint64_t whole);

#endif
