/* The script of an introspection: started in a process group of its own, and ended with all of it.
 */
#ifndef PINSIGHT_INTROSPECT_SCRIPT_H
#define PINSIGHT_INTROSPECT_SCRIPT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts `<path> <chunk> <pid> <configuration>` with this process's environment and stderr.
 * Returns its pid, or 0 with a sentence in `why`.
 */
pid_t pinsight_script_start(const char *path, const char *chunk, const char *pid,
                            const char *configuration, char why[PATH_MAX]);

/* Has it ended? Then it is reaped, and *status is its exit status or minus its signal. */
bool pinsight_script_ended(pid_t script, int *status);

/*
 * Ends it, and what it started and did not put into a group of its own: SIGTERM, and SIGKILL for
 * what is there `patience_ms` later. Returns when all are gone. For a process that gets the orphans
 * among them (PR_SET_CHILD_SUBREAPER), so that none of them waits for somebody to reap it.
 */
void pinsight_script_end(pid_t script, int patience_ms);

#endif
