/* Waits for a command, while its signals and its stops pass through. */
#ifndef PINSIGHT_SESSION_WAIT_H
#define PINSIGHT_SESSION_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/spawn.h"
#include "session/launch.h"

/*
 * Waits until the child `pid` ends, and returns its wait status.
 *
 * A signal that reaches this process is sent to the child, unless the child has got it already. A
 * signal from the terminal goes to the whole foreground group (its sender is the kernel). `monitor`
 * (below) notes signals that are sent to the group. When the child stops, this process stops by the
 * same signal, so that the shell notices it. When this process continues, so does the child.
 *
 * *told_to_end is set to the last signal that reached this process meanwhile and that ends a
 * command (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or 0.
 *
 * `other` (or -1) is a further descriptor to watch. on_other(data) is called when it is readable,
 * and returns false when it must not be watched any more.
 */
int pinsight_wait_for(pid_t pid, const struct pinsight_signals *signals, int monitor, int other,
                      bool (*on_other)(void *data), void *data, int *told_to_end);

/*
 * Starts a process in the same process group that only notes which signals reach it. No other means
 * distinguishes a signal to one process from a signal to its whole group. Called before the command
 * starts. The process ends with pinsight_worker_kill(). Returns 0 or an errno. Without it
 * (descriptor -1), every signal is passed on.
 */
int pinsight_signal_monitor_start(struct pinsight_worker *monitor);

#endif
