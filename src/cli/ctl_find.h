/* Finds the processes that a command line of `pinsight ctl` names. */
#ifndef PINSIGHT_CLI_CTL_FIND_H
#define PINSIGHT_CLI_CTL_FIND_H

#include "base/ctl_client.h"
#include "cli/ctl_options.h"

/* A process that the command line names, with its reply. */
struct pinsight_ctl_target {
    struct pinsight_call *call; /* with the reply to `status` */
    int pid;
    long rank; /* -1 if there is none */
};

/*
 * Finds the processes of options->whats. Asks the processes on this host for their status. Writes
 * the selected ones to `targets`, which has room for `count` of them, in the order of their
 * numbers. Returns how many there are. If one of the whats cannot be found, writes a message and
 * sets *missing.
 */
size_t pinsight_ctl_find(const struct pinsight_ctl_options *options, struct pinsight_call *calls,
                         size_t count, struct pinsight_ctl_target *targets, bool *missing);

#endif
