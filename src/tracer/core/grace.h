/*
 * Reading without a lock, and safe freeing. A reader marks the time in which it uses shared data. A
 * writer replaces the data, waits for the readers, and frees the old data. Readers never wait. Any
 * thread.
 */
#ifndef PINSIGHT_CORE_GRACE_H
#define PINSIGHT_CORE_GRACE_H

/* Begin and end of a reader's use of shared data. Calls may be nested. The reader must not wait in
 * between. Async-signal-safe. */
void pinsight_reader_enters(void);
void pinsight_reader_leaves(void);

/* Waits for all readers that may still use data from before this call. Must not be called by a
 * reader. */
void pinsight_readers_wait(void);

/* Resets the readers in a forked child, because they were the parent's threads. */
void pinsight_readers_fork_child(void);

#endif
