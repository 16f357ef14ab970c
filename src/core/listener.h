/*
 * The thread that answers `pinsight ctl`. It says how things stand by itself, whatever the program
 * and the control thread do; orders it hands on to the control thread, each through a thread that
 * waits for the answer. It has one socket (ctl.h), whose number is out of the program's way, and
 * blocks all signals.
 */
#ifndef PINSIGHT_CORE_LISTENER_H
#define PINSIGHT_CORE_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

/* Start it in a process that has none; else do nothing. Where it cannot be started, the process
 * cannot be controlled, which is said once. One thread at a time; allocates a thread. */
void pinsight_listener_start(void);

/* Has the thread leave, and waits until `until_ns` at most (service.h); pinsight_listener_start()
 * starts it anew, with another socket. One thread at a time. */
void pinsight_listener_rest(void);
bool pinsight_listener_gone(uint64_t until_ns);

/* In a forked child: the thread is not there, and the socket is the parent's. */
void pinsight_listener_fork_child(void);

#endif
