/*
 * The finalisation guard. A thread without the GIL may ask for it only inside the guard, because
 * asking while the interpreter finalises crashes. The guard closes before finalisation.
 */
#ifndef PINSIGHT_PYTHON_FINALISATION_GUARD_H
#define PINSIGHT_PYTHON_FINALISATION_GUARD_H

#include <stdbool.h>

/* Enter, to call the interpreter's functions that need no GIL, or PyGILState_Ensure. False when the
 * interpreter is ending. Not for a thread that holds the GIL. */
bool pinsight_interpreter_enter(void);
void pinsight_interpreter_leave(void);

/* Closes the guard and waits until no thread is inside. Called without the GIL, before
 * finalisation. */
void pinsight_interpreter_shut(void);

/* In a forked child: nobody is inside. */
void pinsight_interpreter_fork_child(void);

#endif
