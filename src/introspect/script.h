/* The script of an introspection. It runs in a process group of its own, which is ended as a
 * whole. */
#ifndef PINSIGHT_INTROSPECT_SCRIPT_H
#define PINSIGHT_INTROSPECT_SCRIPT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts `<path> <chunk> <pid> <configuration>` with this process's environment and stderr. Returns
 * its process number, or 0 with a sentence in `why`.
 */
pid_t pinsight_script_start(const char *path, const char *chunk, const char *pid,
                            const char *configuration, char why[PATH_MAX]);

/* Returns whether the script has ended. If so, reaps it and sets *status to its exit status, or
 * minus its signal. */
bool pinsight_script_ended(pid_t script, int *status);

/*
 * Ends the script and its children, except for children in a group of their own. Sends SIGTERM, and
 * SIGKILL after `patience_ms`. Returns when all are gone. The calling process must be a subreaper
 * (PR_SET_CHILD_SUBREAPER), so that no orphan stays unreaped.
 */
void pinsight_script_end(pid_t script, int patience_ms);

#endif
