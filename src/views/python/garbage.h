/* The report's section on garbage collections. */
#ifndef PINSIGHT_VIEWS_PYTHON_GARBAGE_H
#define PINSIGHT_VIEWS_PYTHON_GARBAGE_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_garbage;

/* Returns a text such as "65 in 75.4 ms". The caller frees it. Returns NULL without collections. */
char *pinsight_garbage_text(const struct pinsight_report *report);

/* Returns whether collections took a hundredth of the time of all active threads. */
bool pinsight_garbage_is_much(const struct pinsight_report *report);

#endif
