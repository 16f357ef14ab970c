/*
 * Is a thread within an import? While it is, and `import = modules`, what runs in it is not
 * recorded (excluded_thread.h), but the import itself is (import.h), and functions of the user's
 * are, with all that they call. Part of the balance; see balance.h.
 *
 * It is within one while, of the entries of its stack that are an import or a function of the
 * user's that began within one, the innermost is an import.
 */
#ifndef PINSIGHT_PYTHON_IMPORTING_H
#define PINSIGHT_PYTHON_IMPORTING_H

#include "domains/python/thread.h"

/* Find that out anew. To be called when an entry with PINSIGHT_NOTE_IMPORTING came or went. */
void pinsight_importing_look(struct pinsight_python_thread *thread);

/* The same after entries were moved, of which some may have such a note. */
void pinsight_importing_moved(struct pinsight_python_thread *thread);

/* The import in which a forked child's parent was is over. */
void pinsight_importing_leave_parents(struct pinsight_python_thread *thread);

/* It is within the import that is in `frame`, or in none (NULL). */
void pinsight_importing_set(struct pinsight_python_thread *thread, void *frame);

#endif
