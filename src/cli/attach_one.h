/* One of the processes that `pinsight attach` records. */
#ifndef PINSIGHT_CLI_ATTACH_ONE_H
#define PINSIGHT_CLI_ATTACH_ONE_H

#include <stdbool.h>
#include <stddef.h>

#include "attach/target.h"

/* How a process is recorded. */
struct pinsight_attach_how {
    const char *output; /* absolute path of the trace's folder, which exists */
    const char *config; /* absolute path of a configuration file, or "" */
    const char *ring;   /* limit of the flight recorder, such as "30s", or "" */
};

/*
 * Makes the process record. Returns true after the recording has begun. Returns false with a
 * message in `why` if it cannot begin; the process then continues as before.
 */
bool pinsight_attach_one(const struct pinsight_attach_target *target,
                         const struct pinsight_attach_how *how, char *why, size_t room);

/* Reads the only argument, at optind, as the number of a process. Returns false after a message. */
bool pinsight_attach_pid(const char *verb, int argc, char **argv, int *pid);

/* Finds the folder that a process is recorded into, by `pinsight run` or `pinsight attach`. Returns
 * false if it is not recorded. Writes "" to `output` if the process does not reply. *attached is
 * true for `pinsight attach`. */
bool pinsight_attach_output(int pid, char output[PATH_MAX], bool *attached);

#endif
