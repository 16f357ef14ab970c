/*
 * Tracks whether a thread is within an import. While it is, and with `import = modules`, executions
 * in it are not recorded (excluded_thread.h). The import itself is recorded (import.h), and so are
 * the user's functions with all their calls. Part of the balance; see balance.h.
 *
 * The stack has two kinds of relevant entries: imports, and the user's functions that began within
 * an import. A thread is within an import while the innermost of these entries is an import.
 */
#ifndef PINSIGHT_PYTHON_IMPORTING_H
#define PINSIGHT_PYTHON_IMPORTING_H

#include "tracer/python/thread.h"

/* Finds out again whether the thread is within an import. Called when an entry with
 * PINSIGHT_NOTE_IMPORTING was added or removed. */
void pinsight_importing_look(struct pinsight_python_thread *thread);

/* Finds it out again after several entries were moved, some of which may have such a note. */
void pinsight_importing_moved(struct pinsight_python_thread *thread);

/* Ends the import that a forked child's thread inherited from its parent. */
void pinsight_importing_leave_parents(struct pinsight_python_thread *thread);

/* Sets the import that the thread is within, by its frame; NULL for none. */
void pinsight_importing_set(struct pinsight_python_thread *thread, void *frame);

#endif
