/*
 * The thread that answers `pinsight ctl`. It answers status requests itself, even if the program
 * and the control thread are busy. It passes orders on to the control thread, each by a thread that
 * waits for the answer. It has one socket (ctl.h), whose number is higher than those that programs
 * expect, and blocks all signals.
 */
#ifndef PINSIGHT_CORE_LISTENER_H
#define PINSIGHT_CORE_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the listener in a process that has none; otherwise does nothing. If the listener cannot be
 * started, the process cannot be controlled, and one message reports that. Calls must not overlap.
 * Allocates a thread. */
void pinsight_listener_start(void);

/* Asks the thread to end; and waits for that until `until_ns` at most (service.h).
 * pinsight_listener_start() starts it again, with another socket. Calls must not overlap. */
void pinsight_listener_rest(void);
bool pinsight_listener_gone(uint64_t until_ns);

/* Forgets the thread and the parent's socket in a forked child. */
void pinsight_listener_fork_child(void);

#endif
