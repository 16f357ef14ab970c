/* Allocations of Python's memory in a report. */
#ifndef PINSIGHT_VIEWS_PYTHON_ALLOCATIONS_H
#define PINSIGHT_VIEWS_PYTHON_ALLOCATIONS_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_allocations;

/* How much was asked for: "8,120 requests for 1.2 MiB", to be freed; NULL where nothing was
 * counted.
 */
char *pinsight_allocations_text(const struct pinsight_report *report);

#endif
