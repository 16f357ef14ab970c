/*
 * The finalisation guard. A thread without the GIL may ask for it only inside the guard, because
 * asking while the interpreter finalises crashes. The guard closes before finalisation.
 */
#ifndef PINSIGHT_PYTHON_FINALISATION_GUARD_H
#define PINSIGHT_PYTHON_FINALISATION_GUARD_H

#include <stdbool.h>

/* Enters the guard. Inside, a thread may call functions of the interpreter that need no GIL, and
 * PyGILState_Ensure(). Returns false if the interpreter is ending. Must not be called with the GIL.
 */
bool pinsight_interpreter_enter(void);
void pinsight_interpreter_leave(void);

/* Closes the guard and waits until no thread is inside. Called without the GIL, before
 * finalisation. */
void pinsight_interpreter_shut(void);

/* Resets the guard in a forked child, where no thread is inside. */
void pinsight_interpreter_fork_child(void);

#endif
