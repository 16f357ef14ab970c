/* Reading of a trace in a child process, by code that damaged input may cause to crash, to loop or
 * to take all memory. The child has a limit of memory, and the parent stops it when it does not
 * come forward. What it read until then is kept. */
#ifndef PINSIGHT_READER_CTF_APART_H
#define PINSIGHT_READER_CTF_APART_H

#include "reader/ctf/groups.h"
#include "reader/ctf/source.h"

/* How a trace is read, as babeltrace_read does it. Of the options it gets on_event alone. */
typedef int ctf_reader(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                       const struct pinsight_source_options *options,
                       struct pinsight_source_result *result);

/* Calls the reader in a child process, and hands on what it reads as if it was called here. `bytes`
 * is the size of the trace: a larger one may take more memory and time. Returns 0, or -1 with
 * result->error set where nothing could be read. If the child crashed, or was stopped, after its
 * first event, a warning says so. Its output goes to /dev/null. */
int ctf_read_apart(ctf_reader *reader, const char *path, const struct ctf_groups *groups,
                   uint64_t bytes, const struct pinsight_source_options *options,
                   struct pinsight_source_result *result);

#endif
