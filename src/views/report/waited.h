/* Waiting of threads by cause, from their clocks: a line of the head, and the list `waits` in
 * JSON. */
#ifndef PINSIGHT_VIEWS_REPORT_WAITED_H
#define PINSIGHT_VIEWS_REPORT_WAITED_H

#include "base/json.h"
#include "views/report/report.h"

/* Makes the rows, longest first. The attribution must be made already. */
void pinsight_waited_make(struct pinsight_report *report);

/* Writes the line, or nothing if threads hardly waited. */
void pinsight_waited_print(const struct pinsight_report *report, FILE *out);

/* Returns whether a row is a wait for an answer: sockets, files and pipes. */
bool pinsight_waited_is_answer(const struct pinsight_wait_row *row);

/* Returns all waiting of threads, except those without any open slice, in ns. */
uint64_t pinsight_waited_ns(const struct pinsight_report *report);

void pinsight_waited_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
