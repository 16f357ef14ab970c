/* PInsight's own cost: the processor time of a run beyond that without PInsight. Domains record the
 * time of their callbacks. A table has the runtime's time for making them, which cannot be measured
 * within the program. docs/read-a-report.md has the model. */
#ifndef PINSIGHT_VIEWS_REPORT_COST_H
#define PINSIGHT_VIEWS_REPORT_COST_H

#include "views/report/report.h"

/* Returns whether any domain reported or recorded callbacks. The cost is unknown otherwise. */
bool pinsight_cost_is_known(const struct pinsight_report *report);

/* Returns the cost of all processes in ns, or 0 if it is unknown. */
uint64_t pinsight_cost_ns(const struct pinsight_report *report);

/* Returns a text such as "looking cost about 1.1 s", or "" if the cost is unknown. The caller frees
 * it. */
char *pinsight_cost_text(const struct pinsight_report *report);

/* Returns a text such as "budget 10%: 5.4 % used; 41 functions in part (≥)", or "" without a
 * budget. The caller frees it. */
char *pinsight_cost_budget_text(const struct pinsight_report *report);

#endif
