/* What a trace does not hold, and how that is said. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_H
#define PINSIGHT_VIEWS_NOT_RECORDED_H

#include "views/report/report.h"

/* Fills in report->not_recorded from what was read. */
void pinsight_not_recorded_make(struct pinsight_report *report);

/* What a sentence says: something that is worth knowing, and stands in the report; something that
 * makes numbers wrong; something without which a summary is not understood. */
enum pinsight_notice_level {
    PINSIGHT_NOTICE_DETAIL,
    PINSIGHT_NOTICE_WRONG,
    PINSIGHT_NOTICE_ALWAYS
};

/* Calls say with one sentence for each thing that is missing, and its level. Returns how many
 * sentences say that numbers are wrong. */
unsigned pinsight_not_recorded_report(const struct pinsight_report *report,
                                      void (*take)(void *data, int level, const char *sentence),
                                      void *data);

#endif
