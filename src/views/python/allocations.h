/* Allocations of Python's memory in a report. */
#ifndef PINSIGHT_VIEWS_PYTHON_ALLOCATIONS_H
#define PINSIGHT_VIEWS_PYTHON_ALLOCATIONS_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_allocations;

/* A line that says how much was asked for; nothing where nothing was counted. */
void pinsight_allocations_brief(const struct pinsight_report *report, FILE *out, size_t limit);

#endif
