/* One thread of another process, stopped for a moment (ptrace(2), PTRACE_SEIZE). */
#ifndef PINSIGHT_ATTACH_THREAD_H
#define PINSIGHT_ATTACH_THREAD_H

#include <stdbool.h>

/* Stops a thread. An interrupted system call continues, or is restarted, after
 * pinsight_thread_let_go(). Returns false with errno if the thread cannot be stopped: EPERM, ESRCH,
 * ETIMEDOUT. */
bool pinsight_thread_stop(int tid);

/* Lets a stopped thread continue. */
void pinsight_thread_let_go(int tid);

#endif
