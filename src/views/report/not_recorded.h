/* What a trace does not hold, and how that is said. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_H
#define PINSIGHT_VIEWS_NOT_RECORDED_H

#include "views/report/report.h"

/* Fills in report->not_recorded from what was read. */
void pinsight_not_recorded_make(struct pinsight_report *report);

/* Calls say with one sentence for each thing that is missing; level is 0 for what is only worth
 * knowing and 1 for what makes the numbers wrong. Returns how many sentences of level 1 there were.
 */
unsigned pinsight_not_recorded_say(const struct pinsight_report *report,
                                   void (*say)(void *data, int level, const char *sentence),
                                   void *data);

#endif
