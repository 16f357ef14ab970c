/* What looking cost: the processor time that a run took more than it would have without PInsight.
 * Domains say what their callbacks took; a table has what the runtime takes to make them, which
 * nobody can measure within the program. docs/guide.md has the model. */
#ifndef PINSIGHT_VIEWS_REPORT_COST_H
#define PINSIGHT_VIEWS_REPORT_COST_H

#include "views/report/report.h"

/* Whether any domain said what its callbacks took: else the cost is not known. */
bool pinsight_cost_is_known(const struct pinsight_report *report);

/* In nanoseconds, of all processes of the report; 0 where it is not known. */
uint64_t pinsight_cost_ns(const struct pinsight_report *report);

/* "looking cost about 1.1 s"; empty where it is not known. To be freed. */
char *pinsight_cost_text(const struct pinsight_report *report);

#endif
