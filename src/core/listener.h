/*
 * The thread that answers `pinsight ctl`. It says how things stand by itself, whatever the program
 * and the control thread do; orders it hands on to the control thread, each through a thread that
 * waits for the answer. It has one socket (ctl.h), whose number is out of the program's way, and
 * blocks all signals.
 */
#ifndef PINSIGHT_CORE_LISTENER_H
#define PINSIGHT_CORE_LISTENER_H

/* Start it in a process that has none; else do nothing. Where it cannot be started, the process
 * cannot be controlled, which is said once. One thread at a time; allocates a thread. */
void pinsight_listener_start(void);

/* In a forked child: the thread is not there, and the socket is the parent's. */
void pinsight_listener_fork_child(void);

#endif
