/* The report's sections and insights on Python, besides its functions and calls. */
#ifndef PINSIGHT_VIEWS_PYTHON_H
#define PINSIGHT_VIEWS_PYTHON_H

#include "views/insights/insights.h"
#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_gil, pinsight_section_of_locks,
    pinsight_section_of_tasks, pinsight_section_of_exceptions, pinsight_section_of_starts;

/* Rules of Python; see views/insights/insights.h. */
extern pinsight_insight_rule *const python_rules[];

#endif
