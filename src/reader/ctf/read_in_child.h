/* Reads a trace in a child process, by code that damaged input can cause to crash, to loop or to
 * take all memory. The child has a limit of memory. The parent stops it when it makes no progress.
 * Its results until then are kept. */
#ifndef PINSIGHT_READER_CTF_READ_IN_CHILD_H
#define PINSIGHT_READER_CTF_READ_IN_CHILD_H

#include "reader/ctf/groups.h"
#include "reader/ctf/source.h"

/* A function that reads a trace, like babeltrace_read(). It gets only on_event of the options. */
typedef int ctf_reader(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                       const struct pinsight_source_options *options,
                       struct pinsight_source_result *result);

/* Calls the reader in a child process, and passes on its events as if it was called here. `bytes`
 * is the size of the trace; a larger trace may take more memory and time. Returns 0, or -1 with
 * result->error if nothing could be read. If the child crashed or was stopped after its first
 * event, a warning reports that. The child's output goes to /dev/null. */
int ctf_read_in_child(ctf_reader *reader, const char *path, const struct ctf_groups *groups,
                      uint64_t bytes, const struct pinsight_source_options *options,
                      struct pinsight_source_result *result);

#endif
