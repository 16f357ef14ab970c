/*
 * Children that this process asks a fork server of multiprocessing for. The server forks them, and
 * answers with the number of the new process. multiprocessing reads it with os.read(), or with
 * os.readinto() from CPython 3.14 on. These functions are redirected once a fork server may exist,
 * and the answer is recorded as the start of a process, by the line that waits for it.
 */
#ifndef PINSIGHT_PYTHON_FORK_SERVER_H
#define PINSIGHT_PYTHON_FORK_SERVER_H

/* Redirects the functions, once, if the program has loaded the module for fork servers. Holds the
 * GIL. Leaves no exception set. */
void pinsight_fork_server_follow(void);

#endif
