/* What threads waited for, by their clocks: a line of the head, and the list `waits` of JSON. */
#ifndef PINSIGHT_VIEWS_REPORT_WAITED_H
#define PINSIGHT_VIEWS_REPORT_WAITED_H

#include "base/json.h"
#include "views/report/report.h"

/* Fills in the rows, longest first. The attribution is made by then. */
void pinsight_waited_make(struct pinsight_report *report);

/* The line; nothing where the clocks say that hardly anything was waited for. */
void pinsight_waited_print(const struct pinsight_report *report, FILE *out);

/* Whether a row is of what answers: sockets, files and pipes. */
bool pinsight_waited_is_answer(const struct pinsight_wait_row *row);

/* All that threads waited, but for those in which nothing was open. */
uint64_t pinsight_waited_ns(const struct pinsight_report *report);

void pinsight_waited_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
