/* Collections of garbage in a report. */
#ifndef PINSIGHT_VIEWS_PYTHON_GARBAGE_H
#define PINSIGHT_VIEWS_PYTHON_GARBAGE_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_garbage;

/* A line that says how long collections took; nothing where there was none. */
void pinsight_garbage_brief(const struct pinsight_report *report, FILE *out, size_t limit);

#endif
