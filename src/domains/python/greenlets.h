/*
 * Greenlets switch the C stack inside a call of C, and the interpreter's frames with it; no event
 * tells. This domain stands before what switches: what is open in the greenlet that switches
 * pauses, and goes on when it does.
 */
#ifndef PINSIGHT_PYTHON_GREENLETS_H
#define PINSIGHT_PYTHON_GREENLETS_H

/* From now on, also where the module is loaded later; for good. Again does nothing. Keeps a pending
 * exception. Holds the GIL. There is nothing of it in a build of CPython that has none. */
void pinsight_greenlets_watch(void);

#endif
