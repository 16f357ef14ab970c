/* The time that a run took to start: imports of packages, each with all imports within it. */
#ifndef PINSIGHT_VIEWS_REPORT_START_UP_H
#define PINSIGHT_VIEWS_REPORT_START_UP_H

#include "views/report/report.h"

#include <stdio.h>

/* Returns the time of all imports in ns, in all threads: running and waiting. */
uint64_t pinsight_start_up_ns(const struct pinsight_report *report);

/* Returns whether imports take a hundredth of the time, and are worth a line. */
bool pinsight_start_up_shows(const struct pinsight_report *report);

/* Returns the time of the imports of the user's own modules in ns, if it is a hundredth of the
 * time, else 0. Functions of the user's have this time, too. */
uint64_t pinsight_start_up_own_ns(const struct pinsight_report *report);

/* Writes a line such as "Imports 620 ms: pandas 510 ms · numpy 80 ms; yours 300 ms: app.models 250
 * ms", as far as it has room. Below that share, nothing is written. */
void pinsight_start_up_print(const struct pinsight_report *report, FILE *out);

#endif
