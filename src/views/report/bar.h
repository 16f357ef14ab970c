/* The bar: the time of the calling threads, divided by its use. */
#ifndef PINSIGHT_VIEWS_BAR_H
#define PINSIGHT_VIEWS_BAR_H

#include "base/json.h"
#include "views/report/report.h"

/* Returns the time of the bar, which is the sum of its parts, in ns. The report has it as
 * `whole_ns`. */
uint64_t pinsight_bar_whole_ns(const struct pinsight_report *report);

/* Writes the bar with its whole time, and a line or two with its parts. The parts add up to that
 * time. Python, C, and each native domain have parts, for work and for waiting. So do native code
 * of threads without Python, and unrecorded time of threads with Python. A part without time is
 * left out. Without any time, nothing is written. */
void pinsight_bar_print(const struct pinsight_report *report, FILE *out);

/* Writes the bar as the member `bar`. The list `parts` has name, ns, whether the part waits, and
 * the category of the slices in exports, or null for waiting and mixed parts. The member `threads`
 * is the number of threads, or 0 if it is unknown, and `whole_ns` is the sum of the parts. */
void pinsight_bar_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
