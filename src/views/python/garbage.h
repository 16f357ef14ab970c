/* Collections of garbage in a report. */
#ifndef PINSIGHT_VIEWS_PYTHON_GARBAGE_H
#define PINSIGHT_VIEWS_PYTHON_GARBAGE_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_garbage;

/* How many collections took how long: "65 in 75.4 ms", to be freed; NULL where there was none. */
char *pinsight_garbage_text(const struct pinsight_report *report);

/* Whether they took a hundredth of the time of the threads that did something. */
bool pinsight_garbage_is_much(const struct pinsight_report *report);

#endif
