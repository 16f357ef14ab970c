/* Reads traces that the decoder refuses, by libbabeltrace2. */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_GRAPH_H
#define PINSIGHT_READER_CTF_BABELTRACE_GRAPH_H

#include "reader/ctf/groups.h"
#include "reader/ctf/source.h"

#include <stdint.h>

/* Reads groups of traces. `bytes` is their size, and `path` the folder that the user named. Returns
 * 0, or -1 with result->error. Some damage makes libbabeltrace2 crash, loop or take all memory, so
 * this must be called in a process of its own; see read_in_child.h. */
int babeltrace_read(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                    const struct pinsight_source_options *options,
                    struct pinsight_source_result *result);

#endif
