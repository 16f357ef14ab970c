/* Makes the rows of a report from the model. */
#ifndef PINSIGHT_VIEWS_ROWS_H
#define PINSIGHT_VIEWS_ROWS_H

#include "views/report/report.h"

/* Fills in all lists of the report from report->model, unsorted. */
void pinsight_rows_make(struct pinsight_report *report);

#endif
