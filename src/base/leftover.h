/* Files and folders that must not outlive the process: the copies from which a damaged trace is
 * read, and outputs until they are complete. The code that makes one notes it here, and forgets it
 * when the file is removed or has its final name. Code that ends the process without a return from
 * main removes all noted files. */
#ifndef PINSIGHT_BASE_LEFTOVER_H
#define PINSIGHT_BASE_LEFTOVER_H

#include <signal.h>

/* Blocks all signals while a file is made and noted. Saves the signal mask in *before, for
 * pinsight_leftover_unblock_signals(). */
void pinsight_leftover_block_signals(sigset_t *before);
void pinsight_leftover_unblock_signals(const sigset_t *before);

/* Blocks the signals from other processes while threads are made, so that they go to the main
 * thread. A signal may not end the process in a thread while a handler removes files in another.
 * SIGABRT is among them, because abort() unblocks it. Faults stay with the thread that causes them.
 * Saves the mask in *before, for pinsight_leftover_unblock_signals(). */
void pinsight_leftover_block_for_threads(sigset_t *before);

/* Notes a file, or a folder with all its future content. The path is copied. At most 16 paths are
 * noted. Not thread-safe. */
void pinsight_leftover_note(const char *path);

/* Forgets a path. Does nothing if the path was not noted. */
void pinsight_leftover_forget(const char *path);

/* Removes all noted files and folders. Async-signal-safe. */
void pinsight_leftover_remove(void);

/* Removes a file, or a folder with its content, that may have been noted. Async-signal-safe. */
void pinsight_leftover_remove_tree(const char *path);

#endif
