/* Makes the rows of a report from the model. */
#ifndef PINSIGHT_VIEWS_ROWS_H
#define PINSIGHT_VIEWS_ROWS_H

#include "views/report/report.h"

/* Fills in every list of report from report->model; nothing is sorted yet. */
void pinsight_rows_make(struct pinsight_report *report);

#endif
