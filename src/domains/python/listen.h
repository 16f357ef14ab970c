/*
 * Waiting for a session: while nobody listens, the interpreter reports nothing to us, which costs
 * nothing; a thread looks every tenth of a second whether a session began to listen.
 */
#ifndef PINSIGHT_PYTHON_LISTEN_H
#define PINSIGHT_PYTHON_LISTEN_H

/* Start to wait; when a session listens, `heard` is called by the main thread with the GIL held. Does
 * nothing while it waits already. Any thread. */
void pinsight_listen_start(int (*heard)(void *unused));

/* In a forked child: the waiting thread is not there. */
void pinsight_listen_fork_child(void);

#endif
