/* One thread of another process, stopped for a moment (ptrace(2), PTRACE_SEIZE). */
#ifndef PINSIGHT_ATTACH_THREAD_H
#define PINSIGHT_ATTACH_THREAD_H

#include <stdbool.h>

/* Seconds in which a thread has to stop. One that waits in the kernel for a disk or for a child of
 * vfork() stops after that, and on a busy machine any thread stops late. */
#define PINSIGHT_THREAD_STOPS_S 5

/* Stops a thread. An interrupted system call continues, or is restarted, after
 * pinsight_thread_let_go(). Returns false with errno if the thread cannot be stopped: EPERM, ESRCH,
 * ETIMEDOUT. After ETIMEDOUT the thread may stop later, until the caller's process ends. */
bool pinsight_thread_stop(int tid);

/* Lets a stopped thread continue. */
void pinsight_thread_let_go(int tid);

#endif
