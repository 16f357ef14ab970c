/* Imports of modules in a report. The section is in imports.c. */
#ifndef PINSIGHT_VIEWS_IMPORTS_H
#define PINSIGHT_VIEWS_IMPORTS_H

#include "views/report/report.h"

/* Writes one line about imports, or nothing if there are none. */
void pinsight_section_imports_brief(const struct pinsight_report *report, FILE *out);

#endif
