/* One thread of another process, stopped for a moment (ptrace(2), PTRACE_SEIZE). */
#ifndef PINSIGHT_ATTACH_THREAD_H
#define PINSIGHT_ATTACH_THREAD_H

#include <stdbool.h>

/* Stops a thread; the system call that it is within goes on, or is restarted, after
 * pinsight_thread_let_go(). Returns false with errno where it cannot be stopped: EPERM, ESRCH,
 * ETIMEDOUT. */
bool pinsight_thread_stop(int tid);

/* Lets a stopped thread go on. */
void pinsight_thread_let_go(int tid);

#endif
