/*
 * Doing something with the GIL for a thread that may not wait for it (the control thread): a thread
 * of ours waits instead, inside the finalisation guard, and asks for the GIL (gil_request.h).
 * Callbacks of any thread may do the same meanwhile.
 */
#ifndef PINSIGHT_PYTHON_WITH_GIL_H
#define PINSIGHT_PYTHON_WITH_GIL_H

/* Have `work` called once with the GIL held, soon; one that waits already is not asked twice. Not
 * at all when the interpreter ends. Any thread. */
void pinsight_with_gil(void (*work)(void));

/* In a forked child: nobody waits. */
void pinsight_with_gil_fork_child(void);

#endif
