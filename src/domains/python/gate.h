/*
 * The gate between threads that want the interpreter and its end: a thread without the GIL may ask
 * for it only while the gate is open, because to ask for it while the interpreter finalises
 * crashes.
 */
#ifndef PINSIGHT_PYTHON_GATE_H
#define PINSIGHT_PYTHON_GATE_H

#include <stdbool.h>

/* Enter, to call the interpreter's functions that need no GIL, or PyGILState_Ensure. False when the
 * interpreter is ending. Not for a thread that holds the GIL. */
bool pinsight_interpreter_enter(void);
void pinsight_interpreter_leave(void);

/* Shut the gate and wait for who is inside. Called without the GIL, before finalisation. */
void pinsight_interpreter_shut(void);

/* In a forked child: nobody is inside. */
void pinsight_interpreter_fork_child(void);

#endif
