/*
 * What readers look at without a lock, and a writer frees once nobody looks at it any more: it puts
 * something else in its place, waits, and frees it. Any thread; a reader waits for nobody.
 */
#ifndef PINSIGHT_CORE_GRACE_H
#define PINSIGHT_CORE_GRACE_H

/* A reader looks between these two, which may be nested; nothing in between may wait. In signal
 * handlers too. */
void pinsight_reader_enters(void);
void pinsight_reader_leaves(void);

/* Waits for readers who may still see what was replaced before this call; not from among them. */
void pinsight_readers_wait(void);

/* In a forked child: the readers are the parent's. */
void pinsight_readers_fork_child(void);

#endif
