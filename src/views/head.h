/* The first lines of a report or summary, and the last: what was recorded, and what was not. */
#ifndef PINSIGHT_VIEWS_HEAD_H
#define PINSIGHT_VIEWS_HEAD_H

#include "views/report.h"

/* "python heat.py · 4.21 s · 1 process, 3 threads · 1,203,344 events, 38.2 MiB", and the share of
 * Python and C. command may be NULL: then that of the first process. */
void pinsight_head_print(const struct pinsight_report *report, FILE *out, const char *command);

/* The section on what was not recorded. brief leaves out what never changes. */
void pinsight_foot_print(const struct pinsight_report *report, FILE *out, bool brief);

/* A section's title. */
void pinsight_head_section(const struct pinsight_report *report, FILE *out, const char *title,
                           const char *remark);

#endif
