/* The first lines of a report or summary, and the last: what was recorded, and what was not. */
#ifndef PINSIGHT_VIEWS_HEAD_H
#define PINSIGHT_VIEWS_HEAD_H

#include "views/report/report.h"

/* "python heat.py", "4.21 s recorded · 1 process, 3 threads · 1,203,344 events, 38.2 MiB", the bar
 * of bar.h, and a line on OpenMP. command may be NULL: then that of the first process. */
void pinsight_head_print(const struct pinsight_report *report, FILE *out, const char *command);

/* The same in few lines, for the summary: the command; how it ended, how long it ran, and what did
 * something in it; and the bar. */
void pinsight_head_brief(const struct pinsight_report *report, FILE *out, const char *command);

/* The section on what was not recorded; and in few lines: what makes a number wrong, and how many
 * details there are beside that. */
void pinsight_foot_print(const struct pinsight_report *report, FILE *out);
void pinsight_foot_brief(const struct pinsight_report *report, FILE *out);

/* A section's title. */
void pinsight_head_section(const struct pinsight_report *report, FILE *out, const char *title,
                           const char *remark);

/* A line of the head, which may need several; the texts in it are clean. */
void pinsight_head_line(const struct pinsight_report *report, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A paragraph of a section, and one on what is wrong; the texts in it are clean. */
void pinsight_head_note(const struct pinsight_report *report, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pinsight_head_warn(const struct pinsight_report *report, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
