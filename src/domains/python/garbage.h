/*
 * Collections of garbage, which the interpreter tells the callables in gc.callbacks of. One of ours
 * stands in the list that the interpreter walks, and `gc.callbacks` is another list, which has the
 * program's: ours calls them as the interpreter would, so the program sees and changes its own
 * alone.
 */
#ifndef PINSIGHT_PYTHON_GARBAGE_H
#define PINSIGHT_PYTHON_GARBAGE_H

#include <stdbool.h>

/*
 * Watch collections, or watch them no more: then gc.callbacks is what it was, unless the program
 * holds the list that it was given meanwhile; that one is served for good. Again does nothing.
 * Holds the GIL, in the main interpreter; keeps a pending exception.
 */
void pinsight_garbage_watch(bool watch);

/* Write what MONITORING counted since the last time. Holds the GIL of the main interpreter. */
void pinsight_garbage_write(void);

/* In a forked child: a collection that is under way began in the parent, and what was counted is
 * the parent's. */
void pinsight_garbage_fork_child(void);

#endif
