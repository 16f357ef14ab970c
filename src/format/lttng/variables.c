/* LTTng's variables of the environment; see format/variables.h. */
#include "format/variables.h"

static const struct pinsight_recorder_variable set[] = {
    /* Definitions wait for a full buffer in every run. */
    {"LTTNG_UST_ALLOW_BLOCKING=", "1", true},
    /* The longest time in ms that a process waits for the session daemon to register it. A busy
     * daemon needs longer than LTTng's default of 3 s, and events of the meantime would be lost. */
    {"LTTNG_UST_REGISTER_TIMEOUT=", "10000", false},
    {0},
};

/* LTTng finds the user's session daemon by LTTNG_HOME, or else by HOME (lttng-sessiond(8)). */
const struct pinsight_recorder_variables pinsight_recorder_variables = {
    .set = set,
    .home = "LTTNG_HOME=",
};
