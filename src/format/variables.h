/* The variables of the environment by which a process finds its run, and the result of joining it.
 */
#ifndef PINSIGHT_FORMAT_VARIABLES_H
#define PINSIGHT_FORMAT_VARIABLES_H

#include <stdbool.h>

/* The variable by which join() finds the session. */
#define PINSIGHT_JOIN_VARIABLE "PINSIGHT_JOIN"
/* The variable with the host of the run's session, for a process that cannot find the session. */
#define PINSIGHT_HOST_VARIABLE "PINSIGHT_HOST"

/* The result of joining the session of a run. */
enum pinsight_joined {
    /* the process is recorded from now on, or there is no session to join */
    PINSIGHT_JOINED,
    PINSIGHT_JOIN_OVER,       /* the session has ended, or is on another host */
    PINSIGHT_JOIN_UNANSWERED, /* the session gave no answer in time */
};

struct pinsight_recorder_variable {
    const char *name;  /* with its = */
    const char *value; /* the value for the command of a run */
    /* The variable belongs to the run: it replaces an existing value, and no script gets it.
     * Otherwise the user's value stays. */
    bool is_runs;
};

struct pinsight_recorder_variables {
    const struct pinsight_recorder_variable *set; /* ends with a NULL name */
    /* The variable (with its =) that names the folder of the recorder's daemon, with HOME as the
     * default. NULL: there is none. */
    const char *home;
};

/* The table of this build. */
extern const struct pinsight_recorder_variables pinsight_recorder_variables;

#endif
