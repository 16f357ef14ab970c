/* The first and the last lines of a report or summary: the recording, and unrecorded things. */
#ifndef PINSIGHT_VIEWS_HEAD_H
#define PINSIGHT_VIEWS_HEAD_H

#include "views/report/report.h"

/* Writes the head, and the bar of bar.h. The head has the command, and a line such as "4.21 s
 * recorded · 1 process, 3 threads · 1,203,344 events, 38.2 MiB". A line on OpenMP follows. If
 * `command` is NULL, the command is that of the first process. */
void pinsight_head_print(const struct pinsight_report *report, FILE *out, const char *command);

/* Writes a short head for the summary: the command with its end and its duration, the active
 * threads, and the bar. */
void pinsight_head_brief(const struct pinsight_report *report, FILE *out, const char *command);

/* Write the section on unrecorded things: in full, or in a few lines. The short form has the causes
 * of wrong numbers, and the number of further details. */
void pinsight_foot_print(const struct pinsight_report *report, FILE *out);
void pinsight_foot_brief(const struct pinsight_report *report, FILE *out);

/* Writes the title of a section. */
void pinsight_head_section(const struct pinsight_report *report, FILE *out, const char *title,
                           const char *remark);

/* Separates parts of an item of the head. Parts for which the line has no room are left out, from
 * the right. */
#define PINSIGHT_HEAD_PART "\f"

/* Writes one item of the head. Its first part may take several lines. The texts must be clean. */
void pinsight_head_line(const struct pinsight_report *report, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Write a paragraph of a section, and a warning. The texts must be clean. */
void pinsight_head_note(const struct pinsight_report *report, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pinsight_head_warn(const struct pinsight_report *report, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
