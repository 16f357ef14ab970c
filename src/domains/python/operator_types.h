/* The types whose operators and properties are recorded: found, and given ours in place of their
 * functions. */
#ifndef PINSIGHT_PYTHON_OPERATOR_TYPES_H
#define PINSIGHT_PYTHON_OPERATOR_TYPES_H

#include "core/mode.h"

/* Take over which types the configuration names. GIL held. */
void pinsight_operator_types_read(void);

/* Record operators and properties in `mode` (MONITORING or TRACING): of the types that are there,
 * and of those that come. Again takes over what changed. GIL held. */
void pinsight_operator_types_start(enum pinsight_mode mode);

/* Give the types their own functions back. GIL held. */
void pinsight_operator_types_stop(void);

/* At the end: say which types of the configuration are not in modules that are there. GIL held. */
void pinsight_operator_types_check(void);

/* What the mechanism's name has behind it: ", operators" once some are recorded, ", without
 * operators" where there are types whose operators cannot be; then ", properties" once some are
 * recorded; otherwise "". One address for each text. GIL held. */
const char *pinsight_operator_types_missing(void);

#endif
