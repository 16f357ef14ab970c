/* The report's sections on marks of the program. */
#ifndef PINSIGHT_VIEWS_CORE_H
#define PINSIGHT_VIEWS_CORE_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_marked, pinsight_section_of_values;

/* Writes the section in a report of everything, if there are regions or marks. */
void pinsight_marked_brief(const struct pinsight_report *report, FILE *out, size_t limit);

/* Writes the line of the summary about regions. */
void pinsight_marked_line(const struct pinsight_report *report, FILE *out, bool few);

#endif
