/* Waiting for a command while its signals and its stops go through. */
#ifndef PINSIGHT_SESSION_WAIT_H
#define PINSIGHT_SESSION_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "session/launch.h"

/*
 * Waits until the child `pid` ends and returns its wait status.
 *
 * A signal that reaches this process goes to the child, unless the child has had it: what the
 * terminal sends goes to the whole foreground group (the kernel is its sender), and what is sent to
 * the group is seen by `witness` too (below). When the child stops, this process stops by the same
 * signal, so that the shell sees it; when it goes on, so does the child.
 *
 * `other` (or -1) is a descriptor that is watched besides; `on_other(data)` is called when it is
 * readable, and returns false when it shall not be watched any more.
 */
int pinsight_wait_for(pid_t pid, const struct pinsight_signals *signals, int witness, int other,
                      bool (*on_other)(void *data), void *data);

/*
 * A process of the same process group that only notes which signals reach it, since nothing else
 * tells a signal to one process from a signal to its whole group. Started before the command; it
 * ends when the descriptor closes. On failure -1, and every signal is then passed on.
 */
int pinsight_witness_start(pid_t *pid);
void pinsight_witness_stop(int witness, pid_t pid);

#endif
