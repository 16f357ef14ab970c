/*
 * Work with the GIL for a thread that must not wait for it (the control thread). A thread of
 * PInsight waits instead, inside the finalisation guard, and requests the GIL (gil_request.h). A
 * callback in any thread may do the same work earlier.
 */
#ifndef PINSIGHT_PYTHON_WITH_GIL_H
#define PINSIGHT_PYTHON_WITH_GIL_H

/* Calls `work` once, soon, with the GIL. If the same work waits already, it is called once. It is
 * not called if the interpreter ends. Any thread. */
void pinsight_with_gil(void (*work)(void));

/* Resets the state in a forked child, where no work waits. */
void pinsight_with_gil_fork_child(void);

#endif
