/*
 * The interpreter's list of thread states. A thread that comes from C puts its state at the head of
 * the list before the state is complete, and without the GIL (PyThreadState_New, 3.8 to 3.11): who
 * walks over the list holds its lock, as the interpreter does.
 */
#ifndef PINSIGHT_PYTHON_THREAD_LIST_H
#define PINSIGHT_PYTHON_THREAD_LIST_H

/* May be called with the GIL held; nothing in between may run Python or take the lock again. */
void pinsight_thread_list_lock(void);
void pinsight_thread_list_unlock(void);

#endif
