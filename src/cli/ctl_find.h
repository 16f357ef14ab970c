/* Which processes `pinsight ctl` means. */
#ifndef PINSIGHT_CLI_CTL_FIND_H
#define PINSIGHT_CLI_CTL_FIND_H

#include "base/ctl_client.h"
#include "cli/ctl_options.h"

/* A process that is meant, with what it said of itself. */
struct pinsight_ctl_target {
    struct pinsight_call *call; /* with the reply to `status` */
    int pid;
    long rank; /* -1 without one */
};

/*
 * Finds the processes of options->whats: asks all on this host how they stand. Writes those that
 * are meant to `targets`, which has room for `count` calls, in the order of their numbers; returns
 * how many. Says what cannot be found, and sets *missing then.
 */
size_t pinsight_ctl_find(const struct pinsight_ctl_options *options, struct pinsight_call *calls,
                         size_t count, struct pinsight_ctl_target *targets, bool *missing);

#endif
