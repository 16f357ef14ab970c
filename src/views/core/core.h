/* The report's sections on marks of the program. */
#ifndef PINSIGHT_VIEWS_CORE_H
#define PINSIGHT_VIEWS_CORE_H

#include "views/report/section.h"

extern const struct pinsight_section pinsight_section_of_values;

#endif
