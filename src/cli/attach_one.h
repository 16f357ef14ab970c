/* One process of those that `pinsight attach` records. */
#ifndef PINSIGHT_CLI_ATTACH_ONE_H
#define PINSIGHT_CLI_ATTACH_ONE_H

#include <stdbool.h>
#include <stddef.h>

#include "attach/target.h"

/*
 * Has the process record into `output` by a configuration file, an absolute path or "". Returns
 * when it does. False with a message in `why`: then it goes on as it was.
 */
bool pinsight_attach_one(const struct pinsight_attach_target *target, const char *output,
                         const char *config, char *why, size_t room);

/* The one argument at optind, as the number of a process. False after a message. */
bool pinsight_attach_pid(const char *verb, int argc, char **argv, int *pid);

/* Where a process is recorded into already, by whatever way in: false where it is not. "": it does
 * not say. *attached: by `pinsight attach`. */
bool pinsight_attach_output(int pid, char output[PATH_MAX], bool *attached);

#endif
