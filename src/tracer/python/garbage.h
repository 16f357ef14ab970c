/*
 * Collections of garbage. The interpreter reports them to the callables in gc.callbacks. One of
 * PInsight's is in the list that the interpreter uses, and `gc.callbacks` becomes another list with
 * the program's callables. PInsight's callable calls these as the interpreter would. The program
 * therefore sees and changes only its own callables.
 */
#ifndef PINSIGHT_PYTHON_GARBAGE_H
#define PINSIGHT_PYTHON_GARBAGE_H

#include <stdbool.h>

/*
 * Begins or ends the observation of collections. At the end, gc.callbacks is restored, unless the
 * program holds the other list; that list is then served for good. Repeated calls do nothing. Holds
 * the GIL of the main interpreter. Keeps a pending exception.
 */
void pinsight_garbage_watch(bool watch);

/* Records the counts of MONITORING since the last call. Holds the GIL of the main interpreter. */
void pinsight_garbage_write(void);

/* Resets the state in a forked child. A collection that is open began in the parent, and the counts
 * are the parent's. */
void pinsight_garbage_fork_child(void);

#endif
