/*
 * Waiting for something that the interpreter does not tell us: while nobody listens, it reports
 * nothing to us, which costs nothing; a thread looks every tenth of a second whether a session
 * began to listen. Before 3.12 the same thread waits until the program's own profiler has given the
 * interpreter back.
 */
#ifndef PINSIGHT_PYTHON_LISTEN_H
#define PINSIGHT_PYTHON_LISTEN_H

#include <stdbool.h>

/*
 * Start to wait: `ready` is asked every tenth of a second, by a thread without the GIL; once it
 * says yes, `heard` is called once, by that thread with the GIL held. Does nothing while it waits
 * already. Any thread.
 */
void pinsight_listen_start(bool (*ready)(void), void (*changed)(void));

/* In a forked child: the waiting thread is not there. */
void pinsight_listen_fork_child(void);

#endif
