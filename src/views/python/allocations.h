/* The report's section on allocations of Python's memory. */
#ifndef PINSIGHT_VIEWS_PYTHON_ALLOCATIONS_H
#define PINSIGHT_VIEWS_PYTHON_ALLOCATIONS_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_allocations;

/* Returns a text such as "8,120 requests for 1.2 MiB". The caller frees it. Returns NULL if nothing
 * was counted. */
char *pinsight_allocations_text(const struct pinsight_report *report);

#endif
