/* Imports of modules in a report; the section is in imports.c. */
#ifndef PINSIGHT_VIEWS_IMPORTS_H
#define PINSIGHT_VIEWS_IMPORTS_H

#include "views/report/report.h"

/* One line that says that there are some; nothing where there are none. */
void pinsight_section_imports_brief(const struct pinsight_report *report, FILE *out);

#endif
