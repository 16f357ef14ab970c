/*
 * Free-threaded builds: the stop of all threads, after a fork.
 *
 * A thread that stops the interpreter's threads takes a mutex of the interpreter first. CPython
 * does not release this mutex in a child that another thread forks meanwhile. The child would wait
 * for it forever at its first collection of garbage, or when PInsight stops its threads.
 */
#ifndef PINSIGHT_CPYTHON_STOPPED_WORLD_H
#define PINSIGHT_CPYTHON_STOPPED_WORLD_H

#include <stdbool.h>

/* Releases the mutex of each interpreter, in a forked child. Called in the child's only thread,
 * which must not have stopped the threads of an interpreter itself. Returns whether threads can be
 * stopped now. The plain form does not know the mutex: for a free-threaded build, it reports that
 * the child is not recorded, and returns false. */
bool pinsight_stopped_world_fork_child(void);

#endif
