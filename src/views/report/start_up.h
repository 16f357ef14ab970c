/* What a run took to start: the imports of packages, each with all that it imported. */
#ifndef PINSIGHT_VIEWS_REPORT_START_UP_H
#define PINSIGHT_VIEWS_REPORT_START_UP_H

#include "views/report/report.h"

#include <stdio.h>

/* The time of all imports, in nanoseconds, in all threads: running and waiting. */
uint64_t pinsight_start_up_ns(const struct pinsight_report *report);

/* Whether imports take so much of the time that they are told of: a hundredth. */
bool pinsight_start_up_shows(const struct pinsight_report *report);

/* "Imports 620 ms: pandas 510 ms · numpy 80 ms", as far as a line has room; nothing for less
 * than that. */
void pinsight_start_up_print(const struct pinsight_report *report, FILE *out);

#endif
