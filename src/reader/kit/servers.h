/* Processes that serve a library, such as multiprocessing's fork server and resource tracker.
 * Thread-safe on a model that does not change. */
#ifndef PINSIGHT_READER_KIT_SERVERS_H
#define PINSIGHT_READER_KIT_SERVERS_H

#include "reader/model.h"

/* Returns whether a library started a command of Python with `-c`, to serve it. `has_parent`: the
 * process has a parent in the trace. Sets *is_code to whether the command has code behind `-c`. */
bool pinsight_command_is_servers(const char *command, bool has_parent, bool *is_code);

/* Returns the process whose program started this one, or NULL if it is unknown. A worker that a
 * library's server forked was started by the program that the server serves. */
const struct pinsight_process *pinsight_process_starter(const struct pinsight_process *process);

#endif
