/* LTTng's variables of the environment; see record/recorder.h. */
#include "record/recorder.h"

static const struct pinsight_recorder_variable set[] = {
    /* Definitions wait for a full buffer in every run. */
    {"LTTNG_UST_ALLOW_BLOCKING=", "1", true},
    /* How long a process waits until the session daemon has taken it, in ms: one with much to do
     * needs longer than LTTng's 3 s, and what the process does meanwhile would be lost. */
    {"LTTNG_UST_REGISTER_TIMEOUT=", "10000", false},
    {0},
};

/* Where LTTng finds the user's session daemon: the first, or else HOME (lttng-sessiond(8)). */
const struct pinsight_recorder_variables pinsight_recorder_variables = {
    .set = set,
    .home = "LTTNG_HOME=",
};
