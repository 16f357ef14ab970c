/* Columns for sums by a line of a function. */
#ifndef PINSIGHT_VIEWS_PYTHON_PLACE_H
#define PINSIGHT_VIEWS_PYTHON_PLACE_H

#include "views/kit/table.h"

/* A row contains the place, and the columns are an inner table: function, file, line, module, and
 * "place" for a screen. */
struct python_place {
    uint32_t function; /* or PINSIGHT_NONE */
    int32_t line;      /* 0 if unknown */
};

extern const struct pinsight_table python_place_table;

#define PYTHON_PLACE_IN_FILES "function file line module "
#define PYTHON_PLACE_ON_SCREEN "function place"

#endif
