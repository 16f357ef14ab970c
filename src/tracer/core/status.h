/* The status of this process, for `pinsight ctl … status`. */
#ifndef PINSIGHT_CORE_STATUS_H
#define PINSIGHT_CORE_STATUS_H

#include "base/ctl.h"
#include "base/pairs.h"

/* Writes the lines of a reply to `status`, without its result. Takes no lock, so that it answers
 * whatever the process is doing. One thread at a time. */
void pinsight_status_write(struct pinsight_pairs_writer *writer);

#endif
