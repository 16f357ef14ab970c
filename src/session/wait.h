/* Waiting for a command while its signals and its stops go through. */
#ifndef PINSIGHT_SESSION_WAIT_H
#define PINSIGHT_SESSION_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/spawn.h"
#include "session/launch.h"

/*
 * Waits until the child `pid` ends and returns its wait status.
 *
 * A signal that reaches this process goes to the child, unless the child has had it: what the
 * terminal sends goes to the whole foreground group (the kernel is its sender), and what is sent to
 * the group is seen by `monitor` too (below). When the child stops, this process stops by the same
 * signal, so that the shell sees it; when it goes on, so does the child.
 *
 * `*told_to_end` is the last of the signals that end a command (SIGINT, SIGTERM, SIGHUP, SIGQUIT)
 * that reached this process meanwhile, 0 for none.
 *
 * `other` (or -1) is a descriptor that is watched besides; `on_other(data)` is called when it is
 * readable, and returns false when it shall not be watched any more.
 */
int pinsight_wait_for(pid_t pid, const struct pinsight_signals *signals, int monitor, int other,
                      bool (*on_other)(void *data), void *data, int *told_to_end);

/*
 * A process of the same process group that only notes which signals reach it, since nothing else
 * tells a signal to one process from a signal to its whole group. Started before the command; it
 * ends with pinsight_worker_kill(). Returns 0 or an errno; without it (descriptor -1) every signal
 * is passed on.
 */
int pinsight_signal_monitor_start(struct pinsight_worker *monitor);

#endif
