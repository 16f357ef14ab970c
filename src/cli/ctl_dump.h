/* `pinsight ctl ... dump`: copies the trace of programs that continue to run. */
#ifndef PINSIGHT_CLI_CTL_DUMP_H
#define PINSIGHT_CLI_CTL_DUMP_H

#include "cli/ctl_find.h"
#include "cli/ctl_options.h"

/* Copies the trace folders of the targets, each into a folder of its own. Writes the names of the
 * copies, and the failures. Returns true if nothing failed. */
bool pinsight_ctl_dump(const struct pinsight_ctl_options *options,
                       const struct pinsight_ctl_target *targets, size_t count);

#endif
