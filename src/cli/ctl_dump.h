/* `pinsight ctl ... dump`: a copy of what is recorded so far, while the programs go on. */
#ifndef PINSIGHT_CLI_CTL_DUMP_H
#define PINSIGHT_CLI_CTL_DUMP_H

#include "cli/ctl_find.h"
#include "cli/ctl_options.h"

/* Copies the trace folders that the targets record into, as they are at this moment, each into a
 * folder of its own. Says what it made, and what went wrong; true if nothing did. */
bool pinsight_ctl_dump(const struct pinsight_ctl_options *options,
                       const struct pinsight_ctl_target *targets, size_t count);

#endif
