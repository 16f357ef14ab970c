/* Packets of a stream file that are duplicates or out of order, for example after a faulty copy.
 * Their sequence numbers show it. */
#ifndef PINSIGHT_READER_CTF_IN_ORDER_H
#define PINSIGHT_READER_CTF_IN_ORDER_H

#include "reader/ctf/mapped.h"

/* Replaces the file's bytes by a copy with each whole packet once, in the order of their times and
 * numbers, followed by the packet that is cut off. Counts the faults in `twice` and `late`. Without
 * memory, the file stays unchanged. */
void ctf_file_set_in_order(struct ctf_file *file);

#endif
