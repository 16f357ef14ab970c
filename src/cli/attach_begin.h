/* The begin of a recording of a process that runs already. */
#ifndef PINSIGHT_CLI_ATTACH_BEGIN_H
#define PINSIGHT_CLI_ATTACH_BEGIN_H

#include <limits.h>
#include <stdbool.h>

#include "attach/target.h"

/* What `pinsight attach` and `pinsight top` ask for. */
struct pinsight_attach_wish {
    const char *verb; /* for messages */
    int pid;
    const char *output; /* folder of the trace as typed, or NULL for a name of its own */
    const char *config; /* absolute path of a configuration file, or "" */
    const char *ring;   /* limit of the flight recorder, or "" */
    bool temporary;     /* without an `output`: a new folder among the temporary files */
};

/* A recording that has begun. */
struct pinsight_attach_begun {
    char output[PATH_MAX]; /* absolute path of the trace's folder */
    char libdir[PATH_MAX];
};

/* Looks for the process and PInsight's libraries. Returns 0, or an exit status after a message. */
int pinsight_attach_look(const struct pinsight_attach_wish *wish,
                         struct pinsight_attach_begun *begun);

/* Begins to record the process that pinsight_attach_look() found. Returns 0, or an exit status
 * after a message; the process then continues as before, and no folder is left. */
int pinsight_attach_begin(const struct pinsight_attach_wish *wish,
                          struct pinsight_attach_begun *begun);

#endif
