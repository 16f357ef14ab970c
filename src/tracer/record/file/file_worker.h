/*
 * Work with files that does not depend on the program's state.
 *
 * A program may leave no descriptor free, take another root or user, or enter a namespace in which
 * the folder's path leads elsewhere. Then a thread of PInsight does the work. It has the root, the
 * user and the namespaces from the time when the thread was made, and descriptors of its own
 * (clone(2), CLONE_THREAD without CLONE_FS and CLONE_FILES). The C library does not know the
 * thread, so that a change of user does not affect it. The thread is made when it is needed, and
 * ends with the process.
 */
#ifndef PINSIGHT_RECORD_FILE_FILE_WORKER_H
#define PINSIGHT_RECORD_FILE_FILE_WORKER_H

#include <stdbool.h>

/* Prepares a process for the functions below: before it records, and in each forked child. */
void pinsight_file_worker_ready(void);

/* Called before the program takes another root or user, or other mounts. Makes the thread. Any
 * thread, also in a signal handler and in the child of vfork(). */
void pinsight_file_worker_start(void);

/* Called when the program forbids itself work with files. HERE: in the calling thread, so that only
 * the thread of PInsight may do the work from then on. ALL: in all threads, so that the work fails
 * with ENOSYS. Children inherit the filter, and have no such thread. NOT: the filter could not be
 * installed, and the previous state is restored. */
enum pinsight_filtered { PINSIGHT_FILTERED_NOT, PINSIGHT_FILTERED_HERE, PINSIGHT_FILTERED_ALL };
void pinsight_file_worker_filtered(enum pinsight_filtered how);

/* Called before the program does something that only a process with one thread may do. Ends the
 * thread if the program has one thread. Any thread, as for pinsight_file_worker_start(). */
void pinsight_file_worker_end(void);

/*
 * Calls `work(data)`, which opens and closes files, and returns 0 or an errno. If there is a thread
 * of PInsight, or if the calling thread has no free descriptor (EMFILE), the thread of PInsight
 * makes the call, and the calling thread waits. Any thread.
 */
int pinsight_file_work(int (*work)(void *data), void *data);

/* Returns whether pinsight_file_work() fails with ENOSYS in all threads. The filter may also forbid
 * the system calls around that work. Any thread. */
bool pinsight_file_work_is_forbidden(void);

#endif
