/*
 * Work with files, wherever the program has gone.
 *
 * A program may leave no descriptor free, take another root or user, or go to where the folder's
 * path leads elsewhere. Then a thread of ours does the work. It has the root, the user and the
 * namespaces that the process had when the thread was made, and descriptors of its own (clone(2),
 * CLONE_THREAD without CLONE_FS and CLONE_FILES). libc does not know it, so a change of user does
 * not reach it. It is made when it is needed, and ends with the process.
 */
#ifndef PINSIGHT_RECORD_FILE_BESIDE_H
#define PINSIGHT_RECORD_FILE_BESIDE_H

/* The process records: before it does, and in each child that it forks. */
void pinsight_beside_ready(void);

/* The program is about to take another root or user, or other mounts. Any thread, also in a signal
 * handler and in the child of vfork(). */
void pinsight_beside_keep(void);

/* The program forbids itself work with files: in the thread that calls, so that only the thread of
 * ours may do it from then on; or in all threads, so that it fails with ENOSYS. Its children
 * inherit that, and have no such thread. NOT: it could not, and all is as it was before. */
enum pinsight_filtered { PINSIGHT_FILTERED_NOT, PINSIGHT_FILTERED_HERE, PINSIGHT_FILTERED_ALL };
void pinsight_beside_filtered(enum pinsight_filtered how);

/* It is about to do what only a process with one thread may do: the thread ends, where the program
 * has one thread. Likewise. */
void pinsight_beside_end(void);

/*
 * Calls `work(data)`, which opens files and closes them, and returns 0 or an errno: in the thread
 * of ours where there is one, or where the calling thread has no descriptor (EMFILE). The calling
 * thread waits meanwhile. Any thread.
 */
int pinsight_file_work(int (*work)(void *data), void *data);

#endif
