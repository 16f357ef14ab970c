/* Finds the types whose operators and properties are recorded, and redirects their functions. */
#ifndef PINSIGHT_PYTHON_OPERATOR_TYPES_H
#define PINSIGHT_PYTHON_OPERATOR_TYPES_H

#include "tracer/core/mode.h"

/* Reads the names of the types from the configuration. Holds the GIL. */
void pinsight_operator_types_read(void);

/* Records operators and properties in `mode` (MONITORING or TRACING), of loaded types and of types
 * that are loaded later. A repeated call takes changes. Holds the GIL. */
void pinsight_operator_types_start(enum pinsight_mode mode);

/* Restores the functions of all types. Holds the GIL. */
void pinsight_operator_types_stop(void);

/* At the end, reports types of the configuration that do not exist in loaded modules. Holds the
 * GIL. */
void pinsight_operator_types_check(void);

/* Returns the suffix of the mechanism's name. It is ", operators" if some are recorded, or ",
 * without operators" if there are types whose operators cannot be recorded. ", properties" follows
 * if some are recorded. Otherwise "". Each text has one address. Holds the GIL. */
const char *pinsight_operator_types_missing(void);

#endif
