/*
 * Doing something with the GIL for a thread that may not wait for it (the control thread): a thread
 * of ours waits instead, inside the finalisation guard, and asks for the GIL (ask.h). Callbacks of
 * any thread may do the same meanwhile.
 */
#ifndef PINSIGHT_PYTHON_APPLY_H
#define PINSIGHT_PYTHON_APPLY_H

/* Have `work` called once with the GIL held, soon; one that waits already is not asked twice. Not
 * at all when the interpreter ends. Any thread. */
void pinsight_apply(void (*work)(void));

/* In a forked child: nobody waits. */
void pinsight_apply_fork_child(void);

#endif
