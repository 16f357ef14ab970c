/*
 * Waits for conditions that the interpreter does not report. While no session listens, the
 * interpreter reports nothing, which costs nothing. A thread checks every tenth of a second whether
 * a session has begun to listen. Before 3.12, the same thread waits until the program's own
 * profiler is gone.
 */
#ifndef PINSIGHT_PYTHON_LISTEN_H
#define PINSIGHT_PYTHON_LISTEN_H

#include <stdbool.h>

/*
 * Starts the wait. A thread without the GIL calls `ready` every tenth of a second. When `ready`
 * returns true, the thread calls `changed` once, with the GIL. Does nothing during a wait. Any
 * thread.
 */
void pinsight_listen_start(bool (*ready)(void), void (*changed)(void));

/* Resets the state in a forked child, where the waiting thread does not exist. */
void pinsight_listen_fork_child(void);

#endif
